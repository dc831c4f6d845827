import { MESSAGES } from './messages.js'
import type { PeerAnswer, PeerQuestion } from './peer.worker.js'
import { report } from './report.js'
import type { PeerTimes } from './results.js'
import { WASM } from './wasm.js'

const script = performance.now()

/** A page that waits for a transformer, without skillshelf. */
report(async (): Promise<PeerTimes> => {
  const worker = new Worker(new URL('./peer.worker.ts', import.meta.url), { type: 'module' })
  const ask = (question: PeerQuestion): Promise<PeerAnswer> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<PeerAnswer>) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message || 'The worker failed'))
      worker.postMessage(question)
    })
  const loading = ask({ load: WASM })
  const skills: { name: string; description: string }[] = await (await fetch('/texts.json')).json()
  await loading
  const ready = performance.now()
  await ask({ skills: skills.map(({ name, description }) => `${name}: ${description}`) })
  const embedded = performance.now()
  const { nearest = [] } = await ask({ message: MESSAGES.en })
  const found = nearest.map(at => skills[at]?.name ?? '')
  return { script, ready, embedded, answered: performance.now(), skills: skills.length, found }
})
