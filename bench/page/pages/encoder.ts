import { transformers } from '../../../src/exports/transformers.js'
import type { EmbedKind } from '../../../src/search/model/skill-model.js'
import { LOAD_MESSAGES } from './messages.js'
import { report } from './report.js'
import type { EncoderTimes } from './results.js'
import { WASM } from './wasm.js'

const ROUNDS = 8
const SKILLS = 20

const load = transformers({ models: '/models/', wasm: WASM })

/** On the main thread, because a browser slows no other down. */
report(async (): Promise<EncoderTimes> => {
  const start = performance.now()
  const encoder = await load()
  const loaded = performance.now() - start
  const texts: { name: string; description: string }[] = await (await fetch('/texts.json')).json()
  const timed = async (some: readonly string[], kind: EmbedKind): Promise<number[]> => {
    const times: number[] = []
    for (const text of some) {
      const start = performance.now()
      await encoder.embed([text], { kind })
      times.push(performance.now() - start)
    }
    return times
  }
  await timed(LOAD_MESSAGES, 'query')
  const rounds = Array.from({ length: ROUNDS }, () => LOAD_MESSAGES).flat()
  return {
    loaded,
    messages: await timed(rounds, 'query'),
    skills: await timed(
      texts.slice(0, SKILLS).map(({ name, description }) => `${name}\n${description}`),
      'document',
    ),
  }
})
