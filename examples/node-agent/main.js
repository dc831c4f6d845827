import { createInterface } from 'node:readline'
import OpenAI from 'openai'
import { openLibrary } from 'skillshelf'
import { answerToolCalls, prepareRequest } from 'skillshelf/adapters/openai'
import { directory } from 'skillshelf/node'
import { createSession } from 'skillshelf/session'

const { MODEL: model = 'gpt-4.1-mini', SKILLS = new URL('../skills', import.meta.url) } =
  process.env
/** When there are more turns than this, the older half is dropped. */
const MAX_TURNS = 20
const STEPS = 12

const client = new OpenAI() // reads OPENAI_API_KEY and OPENAI_BASE_URL
const library = await openLibrary(directory(SKILLS, { watch: true }))
const session = createSession(library)
/** The conversation: an array of messages per turn, tool calls included. */
let turns = []

async function answer(message) {
  dropOldTurns()
  const turn = [{ role: 'user', content: message }]
  let reply
  for (let step = 0; step < (session.limits().maxIterations ?? STEPS); step++) {
    // What changes from turn to turn comes last, so that the head of the prompt can be cached.
    const request = await prepareRequest(session, [...turns.flat(), ...turn], {
      system: 'You are a helpful assistant.',
    })
    const { choices } = await client.chat.completions.create({ model, ...request })
    reply = choices[0].message
    turn.push(reply)
    if (!reply.tool_calls?.length) break
    for (const { function: call } of reply.tool_calls)
      console.error(`  ${call.name} ${call.arguments}`)
    turn.push(...(await answerToolCalls(session, reply)))
  }
  turns.push(turn)
  return reply.content ?? 'Stopped: too many steps.'
}

/** Drops old turns, and adds the skill instructions that were lost with them. */
function dropOldTurns() {
  if (turns.length <= MAX_TURNS) return
  turns = turns.slice(-MAX_TURNS / 2)
  const { text } = session.rehydrate(turns.flat())
  if (text) turns.push([{ role: 'user', content: text }])
}

console.error(`${library.snapshot.skills.length} skills. How can I help?`)
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  try {
    console.log(await answer(line))
    const open = session.open.map(one => one.skill.name).join(', ') || 'none'
    console.error(`  ${session.ledger().percent} % of the context; open skills: ${open}`)
  } catch (error) {
    // The conversation is unchanged, so that the message can be sent again.
    console.error(`  ${error.message}`)
  }
}
await library.close()
