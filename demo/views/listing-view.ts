import {
  countShown,
  fitList,
  listCharacters,
  listedSkills,
} from '../../src/tools/listing/fit-list.js'
import { type HostListing, LISTINGS } from '../../src/tools/listing/host-listings.js'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import { type CurrentList, listingActions } from './listing-actions.js'
import { messageCheck } from './listing-message.js'
import { drawPicture } from './listing-picture.js'
import { listingRows } from './listing-rows.js'
import { booksOf, drawShelf } from './listing-shelf.js'

/** Sizes of the context, in tokens. */
const CONTEXTS = [200_000, 1_000_000] as const
const [FIRST] = LISTINGS

/** What coding agents list of the library's skills: whole, cut, by name only, or not at all. */
export function listingView(page: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const labels = texts.listing
  const all = page.library.snapshot.skills
  const skills = listedSkills(all)
  let listing = FIRST as HostListing
  let context: number = CONTEXTS[0]

  const current = (): CurrentList => {
    const shown = fitList(skills, listing, context)
    const { whole } = countShown(skills, shown)
    return {
      agent: listing.title,
      listing,
      context,
      skills,
      shown,
      picture: () =>
        drawPicture(
          labels.pictureTitle(skills.length - whole, skills.length),
          labels.pictureAgent(
            listing.title,
            labels.tokens(context),
            listCharacters(listing, context),
          ),
          booksOf(skills, shown),
        ),
    }
  }
  const figure = make('p', { class: 'figure', role: 'status' })
  const shelf = make('div', { class: 'books', 'aria-hidden': 'true' })
  const rows = make('div', { class: 'agent-lists' })
  const message = messageCheck(page, current, signal)
  const actions = listingActions(page, current, signal)

  const update = (): void => {
    const { shown } = current()
    const counts = countShown(skills, shown)
    figure.replaceChildren(
      make('strong', {}, labels.figure(skills.length - counts.whole, skills.length)),
      ' ',
      make('span', {}, labels.counts(listCharacters(listing, context), counts)),
    )
    shelf.replaceChildren(...drawShelf(booksOf(skills, shown)))
    rows.replaceChildren(...listingRows(skills, shown))
    message.update()
    actions.update()
  }
  const hosts = choices(
    labels.agent,
    LISTINGS.map(({ title, share }) => labels.share(title, share)),
    at => {
      listing = LISTINGS[at] as HostListing
      update()
    },
  )
  const contexts = choices(
    labels.context,
    CONTEXTS.map(size => labels.tokens(size)),
    at => {
      context = CONTEXTS[at] as number
      update()
    },
  )
  update()
  const isOwn = page.location.kind === 'samples'
  const hidden = all.length - skills.length
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      make(
        'p',
        { class: 'buttons' },
        makeButton(isOwn ? labels.add : texts.source.add, page.addLibrary),
      ),
      make('div', { class: 'listing-choices' }, hosts, contexts),
      figure,
      shelf,
      make(
        'p',
        { class: 'muted' },
        [labels.shelf, labels.note, hidden > 0 ? labels.hidden(hidden) : ''].join(' ').trim(),
      ),
      message.element,
      actions.element,
      rows,
    ],
  }
}

/** Radio buttons. The first one is chosen. */
function choices(
  label: string,
  names: readonly string[],
  onChoose: (at: number) => void,
): HTMLElement {
  return make(
    'fieldset',
    { class: 'choices' },
    make('legend', {}, label),
    ...names.map((name, at) => {
      const input = make('input', {
        type: 'radio',
        name: label,
        checked: at === 0 ? '' : undefined,
      })
      input.addEventListener('change', () => onChoose(at))
      return make('label', {}, input, ` ${name}`)
    }),
  )
}
