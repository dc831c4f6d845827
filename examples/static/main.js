import { openLibrary } from './skillshelf/dist/browser/skillshelf.js'

const library = await openLibrary('skills/')

const box = document.querySelector('#message')
const status = document.querySelector('#status')
const list = document.querySelector('#matches')

async function show() {
  const message = box.value
  const { matches } = await library.match(message)
  // A later keystroke has started another search.
  if (message !== box.value) return
  status.textContent = !message.trim()
    ? `${library.snapshot.skills.length} skills`
    : matches.length > 0
      ? 'An agent would open the first skill.'
      : 'No skill matches this message.'
  list.replaceChildren(...matches.map(toItem))
}

function toItem({ id, name, score, reason }) {
  const button = document.createElement('button')
  button.textContent = name
  button.addEventListener('click', () => open(id))
  const detail = document.createElement('span')
  detail.textContent = `${Math.round(score * 100)}%: ${reason}`
  const item = document.createElement('li')
  item.append(button, detail)
  return item
}

async function open(id) {
  const { name, instructions } = await library.get(id)
  document.querySelector('#skill h2').textContent = name
  document.querySelector('#skill pre').textContent = instructions
  document.querySelector('#skill').hidden = false
}

box.addEventListener('input', show)
await show()
