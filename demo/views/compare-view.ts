import type { MatcherResult } from 'skillshelf'
import { reasonOf, type SkillMatch } from 'skillshelf'
import { bundled } from 'skillshelf/model'
import type { Library, PageContext } from '../context.js'
import type { DetailsContent } from '../details-panel.js'
import { make } from '../dom.js'
import { percent, THRESHOLD } from '../format.js'
import { openAt } from '../library/bundled-model.js'
import { nameOf } from '../names.js'
import { TRANSFORMER, transformerBytes } from '../search/transformer.js'
import { language, texts } from '../texts.js'
import { skillHash } from '../url.js'

/** Skills that each model shows, and terms of each skill. */
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
  /** Bytes that it downloads, and their description. */
  bytes(): number
  readonly sizeText: (bytes: number) => string
  /** Shown if the model did not rank. */
  readonly missing: string
}

/** Ranks the message in the search box by each model, side by side. */
export function compareView(context: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const labels = texts.compare
  const hint = make('p', { class: 'muted', role: 'status' })
  const columns = rankings(context, signal).map(ranking => ({ ranking, ...column(ranking.name) }))
  const grid = make('div', { class: 'compare' }, ...columns.map(({ element }) => element))
  let searching = new AbortController()

  const update = async (either: AbortSignal): Promise<void> => {
    const message = context.message()
    grid.hidden = message.trim() === ''
    hint.textContent = grid.hidden ? labels.noMessage : labels.timeMeaning
    if (grid.hidden) return
    // One after the other: they share the thread, so each would measure the others.
    const measured: Measured[] = []
    for (const { ranking, show, showText, bars } of columns) {
      const library = await ranking.library()
      const { result, milliseconds } = await measure(library, message, either)
      bars.replaceChildren()
      if (!ranking.isUsed(result.model)) {
        showText(ranking.missing)
        continue
      }
      const bytes = ranking.bytes()
      show(result, library, milliseconds, bytes > 0 ? ranking.sizeText(bytes) : '')
      measured.push({ bars, milliseconds, bytes })
    }
    drawBars(measured)
  }
  const updateSafely = (): void => {
    searching.abort()
    searching = new AbortController()
    const either = AbortSignal.any([signal, searching.signal])
    update(either).catch(() => {
      // A newer message or view has replaced this one, or a library could not be opened.
      if (!either.aborted) hint.textContent = labels.failed
    })
  }
  context.onSearch(updateSafely, signal)
  updateSafely()
  return {
    title: labels.title,
    content: [make('h2', { tabindex: '-1' }, labels.title), make('p', { class: 'lead' }, labels.lead), hint, grid],
  }
}

function rankings(context: PageContext, signal: AbortSignal): readonly Ranking[] {
  const { location, samples } = context
  const labels = texts.compare
  const address =
    location.kind === 'samples' ? samples.href : location.kind === 'address' ? location.address : undefined
  const index = (): number =>
    address === undefined ? 0 : downloaded(url => url.startsWith(address) && /\.(?:seg|json)$/.test(url))
  const once = (open: () => Promise<Library>): (() => Promise<Library>) => {
    let opened: Promise<Library> | undefined
    return () => (opened ??= open())
  }
  return [
    {
      name: labels.keywords,
      isUsed: () => true,
      library: once(() => openAt(location, samples, { signal, embedder: false })),
      bytes: index,
      sizeText: labels.index,
      missing: '',
    },
    {
      name: labels.bundled,
      isUsed: model => !model.startsWith('lexical/'),
      library: once(async () => openAt(location, samples, { signal, embedder: await bundled() })),
      bytes: () => downloaded(url => /\/assets\/[^/]*\.bin$/.test(url)),
      sizeText: labels.model,
      missing: labels.noModel,
    },
    {
      name: TRANSFORMER,
      isUsed: model => model.includes(TRANSFORMER),
      library: async () => context.library,
      bytes: () => transformerBytes,
      sizeText: labels.model,
      missing: labels.noTransformer,
    },
  ]
}

/** Bytes of the requests of this page. */
function downloaded(accepts: (url: string) => boolean): number {
  const bytes = new Map<string, number>()
  for (const entry of performance.getEntriesByType('resource'))
    if (entry instanceof PerformanceResourceTiming && accepts(entry.name)) bytes.set(entry.name, entry.encodedBodySize)
  return [...bytes.values()].reduce((sum, size) => sum + size, 0)
}

/** The first search loads what the message needs. It is not measured. */
async function measure(
  library: Library,
  message: string,
  signal: AbortSignal,
): Promise<{ result: MatcherResult; milliseconds: number }> {
  const result = await library.search(message, { limit: SHOWN, signal })
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    await library.search(message, { limit: SHOWN, signal })
    times.push(performance.now() - start)
  }
  return { result, milliseconds: times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0 }
}

/** What a ranking took. */
interface Measured {
  bars: HTMLElement
  milliseconds: number
  bytes: number
}

/** Draws milliseconds and bytes beside those of the slowest and the largest. */
function drawBars(measured: readonly Measured[]): void {
  const slowest = Math.max(...measured.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE)
  const largest = Math.max(...measured.map(({ bytes }) => bytes), 1)
  for (const { bars, milliseconds, bytes } of measured)
    bars.replaceChildren(bar('level-1', milliseconds / slowest), bar('level-3', bytes / largest))
}

function bar(kind: string, share: number): HTMLElement {
  const part = make('span', { class: kind })
  part.style.setProperty('--share', String(share))
  return make('div', { class: 'costs-bar' }, part)
}

interface Column {
  element: HTMLElement
  /** Bars for the time and the size. */
  bars: HTMLElement
  show(result: MatcherResult, library: Library, milliseconds: number, size: string): void
  showText(text: string): void
}

function column(name: string): Column {
  const facts = make('p', { class: 'muted' })
  const list = make('ol', { 'aria-label': name })
  const bars = make('div', { class: 'compare-bars', 'aria-hidden': 'true' })
  const showText = (text: string): void => {
    list.replaceChildren()
    facts.textContent = text
  }
  return {
    element: make('section', { 'aria-label': name }, make('h3', {}, name), facts, bars, list),
    bars,
    showText,
    show({ matches }, { snapshot }, milliseconds, size) {
      const time = texts.compare.time(milliseconds < 0.1 ? '<0.1' : milliseconds.toFixed(1))
      facts.textContent = [time, size, matches.length === 0 && texts.compare.noMatch].filter(Boolean).join(' · ')
      const names = new Map(snapshot.skills.map(skill => [skill.id, nameOf(skill)]))
      list.replaceChildren(...matches.map(match => item(match, names.get(match.id) ?? match.name)))
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
  if (signals.similarity !== undefined) origins.push(labels.similarity(signals.similarity.toFixed(2)))
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
