import type { Skill, SkillId } from 'skillshelf'
import { fitList, type ShownAs, shownAs } from '../../src/tools/listing/fit-list.js'
import type { HostListing } from '../../src/tools/listing/host-listings.js'
import { shortenDescriptions } from '../../src/tools/listing/shorten.js'
import type { PageContext } from '../context.js'
import { make } from '../dom.js'
import { texts } from '../texts.js'
import { yielding } from '../yielding.js'
import { copyButton } from './copy-button.js'
import type { ShownList } from './listing-message.js'
import { draftOf } from './skill-draft.js'

/** Lines of the patch that are shown. */
const MAX_LINES = 400

export interface Shortening {
  /** Descriptions that are enough, by skill. */
  enough: ReadonlyMap<SkillId, string>
  skills: readonly Skill[]
  patch: string
}

/** Finds the descriptions of a list that their first sentence replaces, as `skillshelf budget` does. */
export async function shortenList(
  context: PageContext,
  { skills: listed }: ShownList,
  { signal, onProgress }: { signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<Shortening> {
  const { skills, draft } = await draftOf(context, listed, signal)
  const before = new Map(skills.map(({ id, text }) => [id, text]))
  const enough = await shortenDescriptions(skills, {
    library: yielding(context.library),
    draft,
    shortened: yielding(draft.library),
    onProgress,
    signal,
  })
  const { createTwoFilesPatch } = await import('diff')
  const patches = skills
    .filter(({ id }) => enough.has(id))
    .map(({ id, path, file }) => {
      const name = path === '' ? file : `${path}/${file}`
      const old = before.get(id) as string
      // Git finds the file by these names.
      return createTwoFilesPatch(`a/${name}`, `b/${name}`, old, draft.text(id), '', '', {
        context: 1,
      }).replace(/^=+\n/, '')
    })
  await draft.library.close()
  return { enough, skills, patch: patches.join('') }
}

/** What shortening leads to: how many skills are then whole, and the changes. */
export function shorteningResult(
  { enough, skills, patch }: Shortening,
  { listing, context }: { listing: HostListing; context: number },
): HTMLElement[] {
  const labels = texts.listing
  const shorter = skills.map(skill => ({
    ...skill,
    description: enough.get(skill.id) ?? skill.description,
  }))
  const summary = make(
    'p',
    {},
    labels.shortened(
      enough.size,
      countWhole(skills, { listing, context }),
      countWhole(shorter, { listing, context }),
    ),
  )
  if (enough.size === 0) return [summary]
  const lines = patch.split('\n')
  const shown = make(
    'pre',
    { class: 'patch', tabindex: '0', role: 'group', 'aria-label': labels.patch },
    ...lines.slice(0, MAX_LINES).map(patchLine),
  )
  return [
    summary,
    make(
      'div',
      { class: 'level-head' },
      make('h4', {}, labels.patch),
      copyButton(labels.patch, () => patch, shown),
    ),
    make(
      'p',
      { class: 'muted' },
      labels.patchMeaning,
      lines.length > MAX_LINES && ` ${labels.cutPatch}`,
    ),
    shown,
  ]
}

function countWhole(
  skills: readonly Skill[],
  { listing, context }: { listing: HostListing; context: number },
): number {
  const shown = fitList(skills, listing, context)
  return skills.filter((skill, at) => shownAs(shown[at], skill) === ('whole' satisfies ShownAs))
    .length
}

function patchLine(line: string): HTMLElement | string {
  if (/^-(?!--)/.test(line)) return make('del', {}, `${line}\n`)
  if (/^\+(?!\+\+)/.test(line)) return make('ins', {}, `${line}\n`)
  return `${line}\n`
}
