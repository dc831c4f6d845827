import library from 'virtual:skillshelf'

const box = find<HTMLInputElement>('#message')
const status = find('#status')
const list = find('#matches')
const opened = find('#skill')

/** Each keystroke asks; only the last answer is shown. */
let asking = new AbortController()

async function show(): Promise<void> {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  try {
    const message = box.value.trim()
    const skills = await library.list({ signal })
    const { matches } = message ? await library.match(message, { signal }) : { matches: [] }
    const shown = message ? matches : skills
    status.textContent = message
      ? matches.length > 0
        ? 'An agent would open the first of these.'
        : 'No skill serves this message.'
      : `${skills.length} skills`
    list.replaceChildren(
      ...shown.map(one => {
        const button = document.createElement('button')
        button.textContent = one.name
        button.addEventListener('click', () => open(one.id))
        const why = document.createElement('span')
        why.textContent = 'reason' in one ? `${Math.round(one.score * 100)}%: ${one.reason}` : one.description
        const item = document.createElement('li')
        item.append(button, why)
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
  if (!element) throw new Error(`There is no ${selector} in the page`)
  return element
}

box.addEventListener('input', () => void show())
// Edit, add or remove a SKILL.md while `vite` runs: this page shows it without a reload.
library.on('change', () => void show())
void show()
