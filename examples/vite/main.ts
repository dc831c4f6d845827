import { library } from 'virtual:skillshelf'

const box = find<HTMLInputElement>('#message')
const status = find('#status')
const list = find('#matches')
const opened = find('#skill')

/** Aborts the search of the previous keystroke. */
let search = new AbortController()

async function show(): Promise<void> {
  search.abort()
  search = new AbortController()
  const { signal } = search
  try {
    const message = box.value.trim()
    const skills = await library.list({ signal })
    const { matches } = message ? await library.match(message, { signal }) : { matches: [] }
    const shown = message ? matches : skills
    status.textContent = message
      ? matches.length > 0
        ? 'An agent would open the first skill.'
        : 'No skill matches this message.'
      : `${skills.length} skills`
    list.replaceChildren(
      ...shown.map(one => {
        const button = document.createElement('button')
        button.textContent = one.name
        button.addEventListener('click', () => open(one.id))
        const detail = document.createElement('span')
        detail.textContent =
          'reason' in one ? `${Math.round(one.score * 100)}%: ${one.reason}` : one.description
        const item = document.createElement('li')
        item.append(button, detail)
        return item
      }),
    )
  } catch (error) {
    if (!signal.aborted) status.textContent = String(error)
  }
}

async function open(id: string): Promise<void> {
  const { name, instructions } = await library.get(id)
  find('#skill h2').textContent = name
  find('#skill pre').textContent = instructions
  opened.hidden = false
}

function find<Kind extends HTMLElement>(selector: string): Kind {
  const element = document.querySelector<Kind>(selector)
  if (!element) throw new Error(`No element matches ${selector}`)
  return element
}

box.addEventListener('input', () => void show())
// In development, changes in the folder of skills appear here without a reload.
library.on('change', () => void show())
void show()
