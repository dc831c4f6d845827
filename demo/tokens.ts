import { estimateTokens, type SkillLibrary } from 'skillshelf'
import type { Desk } from './desk.js'
import { make } from './dom.js'
import { percent } from './format.js'
import { inlinedTokens, type Ledger, metadataTokens, savedShare } from './ledger.js'
import { texts } from './texts.js'

/** A part of what the context pays. */
interface Part {
  name: string
  tokens: number
  level: 1 | 2 | 3
}

interface TextFiles {
  tokens: number
  amount: number
  unread: number
}

/** What the context pays for the shelf, level by level, against everything inlined. */
export function tokensView({ library }: Desk, ledger: Ledger, signal: AbortSignal): { title: string; content: Node[] } {
  const { skills } = library.snapshot
  const verdict = make('p', { class: 'figure', role: 'status' })
  const chart = make('div', { class: 'chart', 'aria-hidden': 'true' })
  const body = make('tbody')
  const hint = make('p', { class: 'quiet' }, texts.cost.noSkill)
  const note = make('p', { class: 'quiet', role: 'status' })
  const button = make('button', { type: 'button', class: 'button' }, texts.cost.count)
  let counted: TextFiles | undefined

  const update = (): void => {
    const parts: Part[] = [
      { name: texts.cost.names(skills.length), tokens: metadataTokens(skills), level: 1 },
      ...(ledger.skill
        ? [{ name: texts.cost.instructions(ledger.skill.name), tokens: ledger.skill.tokens, level: 2 as const }]
        : []),
      ...[...ledger.files].map(([path, tokens]) => ({ name: texts.cost.file(path), tokens, level: 3 as const })),
    ]
    const now = ledger.now(skills)
    const wholes = [
      { name: texts.cost.inlined, tokens: inlinedTokens(skills) },
      ...(counted
        ? [{ name: texts.cost.inlinedWithFiles(counted.amount), tokens: inlinedTokens(skills) + counted.tokens }]
        : []),
    ]
    const whole = wholes.at(-1)?.tokens ?? 0
    const saved = savedShare(now, whole)
    verdict.replaceChildren(
      make('strong', {}, saved > 0 ? texts.cost.saved(percent(saved)) : texts.cost.notSaved),
      ' ',
      make('span', {}, texts.cost.instead(now, whole)),
    )
    const scale = Math.max(now, whole, 1)
    chart.replaceChildren(
      bar(parts.map(({ tokens, level }) => ({ share: tokens / scale, kind: `level-${level}` }))),
      ...wholes.map(({ tokens }) => bar([{ share: tokens / scale, kind: 'whole' }])),
    )
    body.replaceChildren(
      ...parts.map(({ name, tokens, level }) => row(`level-${level}`, name, tokens)),
      row('sum', texts.cost.now, now),
      ...wholes.map(({ name, tokens }) => row('whole', name, tokens, now)),
    )
    hint.hidden = ledger.skill !== undefined
  }

  button.addEventListener('click', () => {
    button.disabled = true
    countTextFiles(library, signal, (done, total) => {
      note.textContent = texts.cost.counting(done, total)
    }).then(
      result => {
        counted = result
        button.hidden = true
        note.textContent = result.unread > 0 ? texts.cost.unread(result.unread) : ''
        update()
      },
      () => {
        // The view was closed.
      },
    )
  })
  ledger.onChange(update, signal)
  update()
  return {
    title: texts.cost.title,
    content: [
      make('h2', { tabindex: '-1' }, texts.cost.title),
      make('p', { class: 'lead' }, texts.cost.lead),
      verdict,
      chart,
      make(
        'table',
        { class: 'costs' },
        make(
          'thead',
          {},
          make(
            'tr',
            {},
            make('th', { scope: 'col' }, texts.cost.level),
            make('th', { scope: 'col', class: 'right' }, texts.cost.tokens),
          ),
        ),
        body,
      ),
      hint,
      make('p', {}, button),
      note,
    ],
  }
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

/** @param now Where it is given, how much less that is. */
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
      saved > 0 && make('span', { class: 'quiet saved' }, ` ${texts.cost.saved(percent(saved))}`),
    ),
    make('td', { class: 'right' }, texts.number(tokens)),
  )
}

/** Counts what the text files of all skills would cost, by reading every one. */
async function countTextFiles(
  library: SkillLibrary,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<TextFiles> {
  const { skills } = library.snapshot
  const counted: TextFiles = { tokens: 0, amount: 0, unread: 0 }
  for (const [at, { id }] of skills.entries()) {
    onProgress(at, skills.length)
    try {
      const { files } = await library.get(id, { signal })
      for (const { path, kind } of files) {
        if (kind !== 'text' && kind !== 'script') continue
        try {
          const { text } = await library.read(id, path, { signal })
          if (text === undefined) continue
          counted.tokens += estimateTokens(text)
          counted.amount++
        } catch {
          signal.throwIfAborted()
          counted.unread++
        }
      }
    } catch {
      signal.throwIfAborted()
      counted.unread++
    }
  }
  return counted
}
