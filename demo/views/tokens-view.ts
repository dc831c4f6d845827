import { estimateTokens, type SkillLibrary, type SkillSummary } from 'skillshelf'
import type { PageContext } from '../context.js'
import { costBars } from '../cost-bars.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import { type ContextUsage, contextCosts, inlinedTokens, metadataTokens } from './context-usage.js'

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

/** The tokens of the open skill and its files: what they are, and by three ways. */
export function tokensView(
  { library }: PageContext,
  usage: ContextUsage,
  signal: AbortSignal,
): DetailsContent {
  const { skills } = library.snapshot
  const labels = texts.usage
  const bars = make('div', { class: 'figure', role: 'status' })
  const body = make('tbody')
  const hint = make('p', { class: 'muted' }, labels.hint)
  const note = make('p', { class: 'muted', role: 'status' })
  let textFiles: TextFiles | undefined

  const update = (): void => {
    const { skill, files } = usage
    const costs = usage.costs(skills)
    const named = metadataTokens(skills.filter(({ id }) => id === skill?.id))
    const parts: Part[] = skill
      ? [
          { name: labels.metadata(skill.name), tokens: named, level: 1 },
          { name: labels.instructions(skill.name), tokens: skill.tokens, level: 2 },
        ]
      : []
    for (const [path, tokens] of files) parts.push({ name: labels.file(path), tokens, level: 3 })
    const inlinedFiles = textFiles?.tokens ?? 0
    bars.replaceChildren(
      costBars(
        { ...costs, inlined: costs.inlined + inlinedFiles },
        texts.costs,
        texts.number,
        texts.costs.title,
      ),
    )
    body.replaceChildren(
      ...parts.map(({ name, tokens, level }) => row(`level-${level}`, name, tokens)),
      row('sum', labels.now, costs.skillshelf),
      row('whole', labels.listed(skills.length), costs.listed),
      row('whole', labels.inlined, costs.inlined),
      ...(textFiles
        ? [row('whole', labels.inlinedWithFiles(textFiles.read), costs.inlined + textFiles.tokens)]
        : []),
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
        make('div', {}, bars, table(body), hint, make('p', {}, button), note),
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
  const bars = make('div', { role: 'status' })
  const update = (): void => {
    const first = skills.slice(0, slider.valueAsNumber)
    const named = Math.round(metadataTokens(first) / first.length)
    amount.textContent = labels.growLabel(first.length)
    bars.replaceChildren(
      costBars(
        contextCosts(first, { named, read: average }),
        texts.costs,
        texts.number,
        labels.growOpened,
      ),
    )
  }
  slider.addEventListener('input', update)
  update()
  return make(
    'section',
    { class: 'grow', 'aria-label': labels.grow },
    make('h3', {}, labels.grow),
    make('label', {}, amount, slider),
    bars,
  )
}

function row(kind: string, name: string, tokens: number): HTMLElement {
  return make(
    'tr',
    { class: kind },
    make(
      'th',
      { scope: 'row' },
      make('span', { class: `key ${kind}`, 'aria-hidden': 'true' }),
      name,
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
