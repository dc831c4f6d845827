import { openLibrary } from 'skillshelf'
import { answerToolCalls, prepareRequest } from 'skillshelf/adapters/openai'
import { createSession, type SessionMessage } from 'skillshelf/session'

interface Message extends Omit<SessionMessage, 'content'> {
  content: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

const STEPS = 12
const find = <Kind extends Element>(selector: string): Kind =>
  document.querySelector<Kind>(selector) as Kind
const [form, log, status] = [find<HTMLFormElement>('form'), find('#log'), find('#status')]

const library = await openLibrary(new URL('skills/', document.baseURI).href)
const session = createSession(library)
const messages: Message[] = []
status.textContent = `${library.snapshot.skills.length} skills`

/** Requests one step from the model. The key and the messages are only sent to this endpoint. */
async function ask(): Promise<Message> {
  const {
    endpoint = '',
    key,
    model,
  } = Object.fromEntries(new FormData(form)) as Record<string, string>
  const request = await prepareRequest(session, messages, {
    system: 'You are a helpful assistant.',
  })
  const response = await fetch(`${endpoint.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: JSON.stringify({ model, ...request }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()).choices[0].message
}

async function answer(message: string): Promise<void> {
  messages.push({ role: 'user', content: message })
  for (let step = 0; step < (session.limits().maxIterations ?? STEPS); step++) {
    const reply = await ask()
    messages.push(reply)
    if (reply.content) show('assistant', reply.content)
    if (!reply.tool_calls?.length) return
    for (const { function: call } of reply.tool_calls)
      show('tool', `${call.name} ${call.arguments}`)
    messages.push(...(await answerToolCalls(session, reply)))
  }
}

function show(role: Message['role'], text: string): void {
  const line = document.createElement('li')
  line.className = role
  line.textContent = text
  log.append(line)
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const box = form.elements.namedItem('message') as HTMLInputElement
  const { value: message } = box
  show('user', message)
  status.textContent = 'Thinking…'
  const button = find<HTMLButtonElement>('button')
  button.disabled = true
  const before = messages.length
  try {
    await answer(message)
    box.value = ''
    const open = session.open.map(one => one.skill.name).join(', ') || 'none'
    status.textContent = `${session.ledger().percent} % of the context; open skills: ${open}`
  } catch (error) {
    // Keep the conversation unchanged, so that the message can be sent again.
    messages.length = before
    status.textContent = error instanceof Error ? error.message : String(error)
  }
  button.disabled = false
})
