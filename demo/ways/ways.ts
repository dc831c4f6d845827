import { byId, make, makeButton, messageOf } from '../dom.js'
import { setText } from '../hidden-text.js'
import { texts } from '../texts.js'
import { copyButton } from '../views/copy-button.js'
import agent from './agent.ts?raw'
import edge from './edge.ts?raw'
import page from './page.ts?raw'

/** The code that is shown is the code that runs. */
const WAYS = {
  page: { code: page, load: () => import('./page.js') },
  agent: { code: agent, load: () => import('./agent.js') },
  edge: { code: edge, load: () => import('./edge.js') },
} as const
/** Characters of an output that are shown. */
const MAX_OUTPUT = 1_500
/** Characters of the start and the end of a long text that are shown. */
const START = 120
const END = 320
const WORD =
  /('[^']*'|`[^`]*`)|\b(import|from|const|await|async|export|default|function|return|if|new)\b/g

/** Three ways to use the library: each is ten lines of code, and runs here. */
export function showWays(message: () => string): void {
  const labels = texts.ways
  byId('ways', HTMLElement).replaceChildren(
    make('h2', {}, labels.title),
    make(
      'div',
      { class: 'ways-list' },
      ...(['page', 'agent', 'edge'] as const).map(name => {
        const { code, load } = WAYS[name]
        const shown = make(
          'pre',
          { tabindex: '0', 'aria-label': labels[name] },
          make('code', {}, ...colored(code)),
        )
        const output = make('pre', {
          class: 'output',
          tabindex: '0',
          'aria-label': labels.output,
          hidden: '',
        })
        const about = make('p', { class: 'muted' })
        const run = async (): Promise<void> => {
          const asked = message()
          const result = await load()
            .then(({ ask }) => ask(asked))
            .catch(messageOf)
          about.textContent = labels.answerTo(asked)
          const text = JSON.stringify(result, (_, value) => withoutMiddle(value), 2)
          setText(output, text.length > MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT)}\n…` : text)
          output.hidden = false
        }
        return make(
          'section',
          { 'aria-label': labels[name] },
          make('h3', {}, labels[name]),
          make('p', { class: 'muted' }, labels.meaning[name]),
          shown,
          make(
            'div',
            { class: 'buttons' },
            makeButton(labels.run, () => void run(), {
              'aria-label': labels.runLabel(labels[name]),
            }),
            copyButton(labels[name], () => code, shown),
          ),
          about,
          output,
        )
      }),
    ),
  )
}

/** A long text by its ends: what matters of a prompt is at its end. */
function withoutMiddle(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= START + END) return value
  return `${value.slice(0, START)} … ${value.slice(-END)}`
}

/** Strings and keywords in elements of their own. */
function colored(code: string): (Node | string)[] {
  const parts: (Node | string)[] = []
  let offset = 0
  for (const match of code.trimEnd().matchAll(WORD)) {
    parts.push(code.slice(offset, match.index), make(match[1] ? 'i' : 'b', {}, match[0]))
    offset = match.index + match[0].length
  }
  return [...parts, code.trimEnd().slice(offset)]
}
