import { estimateTokens, type SkillLibrary, type SkillSummary } from 'skillshelf'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton } from '../dom.js'
import { percent } from '../format.js'
import { texts } from '../texts.js'
import { type ContextUsage, inlinedTokens, metadataTokens, savedShare } from './context-usage.js'

/** A part of the context: metadata, instructions, or a file. */
interface Part {
  name: string
  tokens: number
  level: 1 | 2 | 3
}

interface TextFiles {
  tokens: number
  read: number
  unreadable: number
}

/** Compares the tokens in the context with those of inlining every skill. */
export function tokensView(
  { library }: PageContext,
  usage: ContextUsage,
  signal: AbortSignal,
): DetailsContent {
  const { skills } = library.snapshot
  const labels = texts.usage
  const summary = make('p', { class: 'figure', role: 'status' })
  const chart = make('div', { class: 'chart', 'aria-hidden': 'true' })
  const body = make('tbody')
  const hint = make('p', { class: 'muted' }, labels.hint)
  const note = make('p', { class: 'muted', role: 'status' })
  let textFiles: TextFiles | undefined

  const update = (): void => {
    const { skill, files } = usage
    const parts: Part[] = [
      { name: labels.metadata(skills.length), tokens: metadataTokens(skills), level: 1 },
      ...(skill
        ? [{ name: labels.instructions(skill.name), tokens: skill.tokens, level: 2 as const }]
        : []),
      ...[...files].map(([path, tokens]) => ({
        name: labels.file(path),
        tokens,
        level: 3 as const,
      })),
    ]
    const now = usage.tokens(skills)
    const inlined = inlinedTokens(skills)
    const totals = [
      { name: labels.inlined, tokens: inlined },
      ...(textFiles
        ? [{ name: labels.inlinedWithFiles(textFiles.read), tokens: inlined + textFiles.tokens }]
        : []),
    ]
    const total = totals.at(-1)?.tokens ?? 0
    const saved = savedShare(now, total)
    summary.replaceChildren(
      make('strong', {}, saved > 0 ? labels.saved(percent(saved)) : labels.notSaved),
      ' ',
      make('span', {}, labels.comparison(now, total)),
    )
    const scale = Math.max(now, total, 1)
    chart.replaceChildren(
      bar(parts.map(({ tokens, level }) => ({ share: tokens / scale, kind: `level-${level}` }))),
      ...totals.map(({ tokens }) => bar([{ share: tokens / scale, kind: 'whole' }])),
    )
    const open = skills.find(({ id }) => id === skill?.id)
    const others = metadataTokens(skills) - (open?.tokens.metadata ?? 0)
    body.replaceChildren(
      ...parts.map(({ name, tokens, level }) => row(`level-${level}`, name, tokens)),
      row('sum', labels.now, now),
      ...(open ? [row('alone', labels.alone, now - others)] : []),
      ...totals.map(({ name, tokens }) => row('whole', name, tokens, now)),
    )
    hint.hidden = skill !== undefined
  }

  const count = (): void => {
    button.disabled = true
    countTextFiles(library, signal, (done, total) => {
      note.textContent = labels.counting(done, total)
    }).then(
      result => {
        textFiles = result
        button.hidden = true
        note.textContent = result.unreadable > 0 ? labels.unreadable(result.unreadable) : ''
        update()
      },
      () => {
        // Rejects only if the view was closed.
      },
    )
  }
  const button = makeButton(labels.countFiles, count)
  usage.onChange(update, signal)
  update()
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      make(
        'div',
        { class: 'beside-each-other' },
        make('div', {}, summary, chart, table(body), hint, make('p', {}, button), note),
        skills.length > 1 && growth(skills),
      ),
    ],
  }
}

function table(body: HTMLElement): HTMLElement {
  const { level, tokens } = texts.usage
  const head = make(
    'tr',
    {},
    make('th', { scope: 'col' }, level),
    make('th', { scope: 'col', class: 'right' }, tokens),
  )
  return make('table', { class: 'costs' }, make('thead', {}, head), body)
}

/** Compares the tokens of the first skills, as many as the user sets. */
function growth(skills: readonly SkillSummary[]): HTMLElement {
  const labels = texts.usage
  const all = inlinedTokens(skills)
  const average = Math.round((all - metadataTokens(skills)) / skills.length)
  const slider = make('input', {
    type: 'range',
    min: '1',
    max: String(skills.length),
    value: String(skills.length),
  })
  const amount = make('span')
  const chart = make('div', { class: 'chart', 'aria-hidden': 'true' })
  const figures = make('p', { role: 'status' })
  const update = (): void => {
    const first = skills.slice(0, slider.valueAsNumber)
    const opened = metadataTokens(first) + average
    const inlined = inlinedTokens(first)
    const scale = Math.max(all, opened, 1)
    amount.textContent = labels.growLabel(first.length)
    figures.replaceChildren(labels.growOpened(opened), make('br'), labels.growInlined(inlined))
    chart.replaceChildren(
      bar([
        { share: metadataTokens(first) / scale, kind: 'level-1' },
        { share: average / scale, kind: 'level-2' },
      ]),
      bar([{ share: inlined / scale, kind: 'whole' }]),
    )
  }
  slider.addEventListener('input', update)
  update()
  return make(
    'section',
    { class: 'grow', 'aria-label': labels.grow },
    make('h3', {}, labels.grow),
    make('label', {}, amount, slider),
    figures,
    chart,
  )
}

function bar(parts: readonly { share: number; kind: string }[]): HTMLElement {
  return make(
    'div',
    { class: 'costs-bar' },
    ...parts.map(({ share, kind }) => {
      const part = make('span', { class: kind })
      part.style.setProperty('--share', String(share))
      return part
    }),
  )
}

/** @param now If given, the row shows how much less it is. */
function row(kind: string, name: string, tokens: number, now?: number): HTMLElement {
  const saved = now === undefined ? 0 : savedShare(now, tokens)
  return make(
    'tr',
    { class: kind },
    make(
      'th',
      { scope: 'row' },
      make('span', { class: `key ${kind}`, 'aria-hidden': 'true' }),
      name,
      saved > 0 && make('span', { class: 'muted saved' }, ` ${texts.usage.saved(percent(saved))}`),
    ),
    make('td', { class: 'right' }, texts.number(tokens)),
  )
}

/** Reads every text file of the library and counts its tokens. */
async function countTextFiles(
  library: SkillLibrary,
  signal: AbortSignal,
  onSkill: (done: number, total: number) => void,
): Promise<TextFiles> {
  const { skills } = library.snapshot
  const result: TextFiles = { tokens: 0, read: 0, unreadable: 0 }
  for (const [index, { id }] of skills.entries()) {
    onSkill(index, skills.length)
    try {
      const { files } = await library.get(id, { signal })
      for (const { path, kind } of files) {
        if (kind !== 'text' && kind !== 'script') continue
        try {
          const { text } = await library.read(id, path, { signal })
          if (text === undefined) continue
          result.tokens += estimateTokens(text)
          result.read++
        } catch {
          signal.throwIfAborted()
          result.unreadable++
        }
      }
    } catch {
      signal.throwIfAborted()
      result.unreadable++
    }
  }
  return result
}
