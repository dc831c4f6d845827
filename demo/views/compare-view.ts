import type { SearchResult, SkillMatch } from 'skillshelf'
import { reasonOf } from 'skillshelf/match'
import { anySignal } from '../any-signal.js'
import type { Library, PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton } from '../dom.js'
import {
  downloaded,
  isCode,
  isMiniSearch,
  isModel,
  isSamplesIndex,
  readServedSizes,
} from '../downloads.js'
import { percent, THRESHOLD } from '../format.js'
import { setText } from '../hidden-text.js'
import { loadModel, openAt } from '../library/bundled-model.js'
import { nameOf } from '../names.js'
import { nextTask } from '../next-task.js'
import { saveAs } from '../save-as.js'
import { ENCODER } from '../search/encoder.js'
import { transformerBytes } from '../search/transformer.js'
import { language, texts } from '../texts.js'
import { skillHash } from '../url.js'
import { board, type Measured, rank } from './compare-board.js'
import { drawCard } from './compare-card.js'
import { contextCosts, inlinedTokens } from './context-usage.js'
import { missUrl } from './report-miss.js'

/** Skills that each model ranks and shows, and terms of each skill. */
const RANKED = 10
const SHOWN = 3
const TERMS = 4
/** Searches that are measured. */
const RUNS = 5

/** A model, and how to search with it. */
interface Ranking {
  readonly name: string
  /** Whether a result of `library` was ranked by this model. */
  isUsed(model: string): boolean
  library(): Promise<Library>
  /** Bytes of its index or model, and their description. */
  bytes(): number
  /** Bytes of all that it needs. */
  total(): number
  readonly sizeText: (bytes: number) => string
  /** Shown if the model did not rank. */
  readonly missing: string
}

/** Ranks the message in the search box by each method, side by side: a board of all, and the details of the models. */
export function compareView(context: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const labels = texts.compare
  const asked = make('p', { class: 'compared' })
  const hint = make('p', { class: 'muted', role: 'status' })
  const boardElement = make('div', { class: 'compare-board' })
  const status = make('p', { class: 'muted', role: 'status' })
  const report = make(
    'a',
    { class: 'button', rel: 'noopener noreferrer', target: '_blank' },
    labels.report,
  )
  const card = makeButton(labels.card, () => void saveCard())
  const actions = make('div', { class: 'buttons' }, card, report)
  const columns = rankings(context, signal).map(ranking => ({ ranking, ...column(ranking.name) }))
  const grid = make('div', { class: 'compare' }, ...columns.map(({ element }) => element))
  let searching = new AbortController()
  /** What the methods found that rank. */
  let measured: readonly Measured[] = []
  /** The skill that the user says is right. */
  let right: string | undefined

  const rows = (): ReturnType<typeof rank> =>
    rank([...measured, ...withoutRanking(context.library, rightOne())], rightOne())
  const rightOne = (): string =>
    right ??
    measured.findLast(({ ranked }) => ranked?.[0] !== undefined)?.ranked?.[0] ??
    firstSkill(context)
  const draw = (): void => {
    boardElement.replaceChildren(
      ...board(rows(), context.library, rightOne(), chosen => {
        right = chosen
        draw()
        boardElement.querySelector('select')?.focus()
      }),
    )
    report.href = missUrl(context, rightOne(), rows())
  }
  const saveCard = async (): Promise<void> => {
    const skill = context.library.snapshot.skills.find(({ id }) => id === rightOne())
    try {
      await document.fonts.ready
      saveAs(
        await drawCard(context.answeredMessage(), skill ? nameOf(skill) : '', rows()),
        'skillshelf.png',
      )
      status.textContent = ''
    } catch (error) {
      setText(status, String(error))
    }
  }
  const update = async (either: AbortSignal): Promise<void> => {
    const message = context.answeredMessage()
    for (const element of [asked, grid, boardElement, actions]) element.hidden = message === ''
    setText(asked, `“${message}”`)
    hint.textContent = grid.hidden ? labels.noMessage : labels.timeMeaning
    if (grid.hidden) return
    const { library: open } = context
    const next: Measured[] = [await measureMiniSearch(open, message, either)]
    // One after the other: they share the thread, so each would measure the others.
    for (const { ranking, show, showText } of columns) {
      const library = await ranking.library()
      const { result, milliseconds } = await measure(library, message, either)
      if (!ranking.isUsed(result.model)) {
        showText(ranking.missing)
        continue
      }
      await readServedSizes()
      const bytes = ranking.bytes()
      show(result, library, milliseconds, bytes > 0 ? ranking.sizeText(bytes) : '')
      const { matches } = await library.match(message, { signal: either })
      const opened = library.snapshot.skills.filter(({ id }) => id === matches[0]?.id)
      const ranked = result.matches.map(({ id }) => id)
      next.push({
        name: ranking.name,
        ranked,
        milliseconds,
        bytes: ranking.total(),
        tokens: inlinedTokens(opened),
      })
    }
    measured = next
    draw()
  }
  const updateSafely = (): void => {
    searching.abort()
    searching = new AbortController()
    const either = anySignal(signal, searching.signal)
    update(either).catch(() => {
      // A newer message or view has replaced this one, or a library could not be opened.
      if (!either.aborted) hint.textContent = labels.failed
    })
  }
  context.onSearch(() => {
    right = undefined
    updateSafely()
  }, signal)
  updateSafely()
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      asked,
      boardElement,
      actions,
      status,
      hint,
      grid,
    ],
  }
}

function firstSkill({ library }: PageContext): string {
  return library.snapshot.skills[0]?.id ?? ''
}

/** Two prompts that leave the choice to the model: every skill by name and description with the right one opened, and every skill whole. */
function withoutRanking({ snapshot: { skills } }: Library, right: string): readonly Measured[] {
  const opened = skills.find(({ id }) => id === right)?.tokens
  const { listed, inlined } = contextCosts(skills, {
    named: opened?.metadata ?? 0,
    read: opened?.instructions ?? 0,
  })
  const prompt = { ranked: undefined, milliseconds: 0, bytes: 0 }
  return [
    { ...prompt, name: texts.compare.listed, tokens: listed },
    { ...prompt, name: texts.compare.inlined, tokens: inlined },
  ]
}

/** MiniSearch opens its first result, because it has no threshold. */
async function measureMiniSearch(
  library: Library,
  message: string,
  signal: AbortSignal,
): Promise<Measured> {
  const { miniSearch } = await import('./minisearch.js')
  const search = miniSearch(library)
  const ranked = search(message)
  const milliseconds = await median(async () => search(message), signal)
  await readServedSizes()
  const opened = library.snapshot.skills.filter(({ id }) => id === ranked[0])
  return {
    name: 'MiniSearch',
    ranked: ranked.slice(0, RANKED),
    milliseconds,
    // Its code, and the names and descriptions that it searches.
    bytes: downloaded(url => isMiniSearch(url) || url.endsWith('/skillshelf.json')),
    tokens: inlinedTokens(opened),
  }
}

function rankings(context: PageContext, signal: AbortSignal): readonly Ranking[] {
  const { location, samples } = context
  const labels = texts.compare
  const address =
    location.kind === 'samples'
      ? samples.href
      : location.kind === 'address'
        ? location.address
        : undefined
  const isIndex = (url: string): boolean =>
    (location.kind === 'samples' && isSamplesIndex(url)) ||
    (address !== undefined && url.startsWith(address) && /\.(?:seg|json)$/.test(url))
  const words = (): number => downloaded(url => isCode(url) || isIndex(url))
  const model = (): number => downloaded(isModel)
  const once = (open: () => Promise<Library>): (() => Promise<Library>) => {
    let opened: Promise<Library> | undefined
    return () => (opened ??= open())
  }
  return [
    {
      name: labels.keywords,
      isUsed: () => true,
      library: once(() => openAt(location, samples, { signal, embedder: false })),
      bytes: () => downloaded(isIndex),
      total: words,
      sizeText: labels.index,
      missing: '',
    },
    {
      name: labels.bundled,
      isUsed: model => !model.startsWith('lexical/'),
      library: once(async () => openAt(location, samples, { signal, embedder: await loadModel() })),
      bytes: model,
      total: () => words() + model(),
      sizeText: labels.model,
      missing: labels.noModel,
    },
    {
      name: ENCODER,
      isUsed: model => model.includes(ENCODER),
      library: async () => context.library,
      bytes: () => transformerBytes,
      total: () => words() + transformerBytes,
      sizeText: labels.model,
      missing: labels.noTransformer,
    },
  ]
}

/** The first search loads what the message needs. It is not measured. */
async function measure(
  library: Library,
  message: string,
  signal: AbortSignal,
): Promise<{ result: SearchResult; milliseconds: number }> {
  const result = await library.search(message, { limit: RANKED, signal })
  const milliseconds = await median(
    () => library.search(message, { limit: RANKED, signal }),
    signal,
  )
  return { result, milliseconds }
}

/** Milliseconds of the middle one of several runs. Each is a task, between which the page answers the user. */
async function median(run: () => Promise<unknown>, signal: AbortSignal): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < RUNS; index++) {
    await nextTask()
    signal.throwIfAborted()
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0
}

interface Column {
  element: HTMLElement
  show(result: SearchResult, library: Library, milliseconds: number, size: string): void
  showText(text: string): void
}

function column(name: string): Column {
  const facts = make('p', { class: 'muted' })
  const list = make('ol', { 'aria-label': name })
  const showText = (text: string): void => {
    list.replaceChildren()
    facts.textContent = text
  }
  return {
    element: make('section', { 'aria-label': name }, make('h3', {}, name), facts, list),
    showText,
    show({ matches }, { snapshot }, milliseconds, size) {
      const time = texts.compare.time(milliseconds < 0.1 ? '<0.1' : milliseconds.toFixed(1))
      facts.textContent = [time, size, matches.length === 0 && texts.compare.noMatch]
        .filter(Boolean)
        .join(' · ')
      const names = new Map(snapshot.skills.map(skill => [skill.id, nameOf(skill)]))
      list.replaceChildren(
        ...matches.slice(0, SHOWN).map(match => item(match, names.get(match.id) ?? match.name)),
      )
    },
  }
}

function item({ id, score, signals }: SkillMatch, name: string): HTMLElement {
  const labels = texts.compare
  const origins = signals.terms.slice(0, TERMS).map(({ text, share, fields }) =>
    labels.share(
      text,
      percent(share),
      fields.map(field => labels.fields[field]),
    ),
  )
  if (signals.similarity !== undefined) {
    origins.push(labels.similarity(signals.similarity.toFixed(2)))
  }
  const meter = make('span', { class: 'bar', 'aria-hidden': 'true' })
  meter.style.setProperty('--score', String(score))
  return make(
    'li',
    { class: score > THRESHOLD ? undefined : 'unlikely' },
    make('a', { href: skillHash(id), dir: 'auto' }, name),
    ` ${percent(score)}`,
    meter,
    make('span', { class: 'reason' }, reasonOf(signals, language)),
    make('span', { class: 'muted' }, origins.join(' · ')),
  )
}
