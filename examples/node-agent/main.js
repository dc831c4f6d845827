import { createInterface } from 'node:readline'
import OpenAI from 'openai'
import { openLibrary } from 'skillshelf'
import { answerToolCalls, skillTools } from 'skillshelf/adapters/openai'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const { MODEL: model = 'gpt-4.1-mini', SKILLS = new URL('../skills', import.meta.url) } = process.env
/** Turns of the conversation that are kept: when there are more, the older half goes. */
const KEPT = 20
const STEPS = 12

const client = new OpenAI() // by OPENAI_API_KEY, OPENAI_BASE_URL
const library = await openLibrary(directory(SKILLS, { watch: true }))
const session = createSession(library)
/** What was said, each turn with the calls of tools in it. */
let turns = []

async function answer(message) {
  const again = shorten()
  const { system, tail } = await session.prepare({ message, history: turns.flat() })
  // What changes from turn to turn stands at the end: the head of the prompt stays the same.
  const said = [{ role: 'user', content: [message, tail, again].filter(Boolean).join('\n\n') }]
  let reply
  for (let step = 0; step < (session.limits().maxIterations ?? STEPS); step++) {
    const messages = [
      { role: 'system', content: `You are a helpful assistant.\n\n${system}` },
      ...turns.flat(),
      ...said,
    ]
    const tools = skillTools(session)
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      ...(tools.length > 0 ? { tools } : {}),
    })
    reply = choices[0].message
    said.push(reply)
    if (!reply.tool_calls?.length) break
    for (const { function: call } of reply.tool_calls) console.error(`  ${call.name} ${call.arguments}`)
    said.push(...(await answerToolCalls(session, reply)))
  }
  turns.push(said)
  return reply.content ?? 'I have not come to an end.'
}

/** Leaves old turns out; gives the instructions that fell out with them and still hold. */
function shorten() {
  if (turns.length <= KEPT) return ''
  turns = turns.slice(-KEPT / 2)
  return session.rehydrate(turns.flat()).text
}

console.error(`${library.snapshot.skills.length} skills. What is to be done?`)
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  try {
    console.log(await answer(line))
    const open = session.open.map(one => one.skill.name).join(', ') || 'none'
    console.error(`  ${session.ledger().percent} % of the context; open skills: ${open}`)
  } catch (error) {
    // The conversation stays as it was: the message can be sent again.
    console.error(`  ${error.message}`)
  }
}
await library.close()
