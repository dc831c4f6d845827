/** Matches in a fresh process through a message channel, as a page and its worker do, and prints the times as JSON. Run by main.ts. */
import { MessageChannel } from 'node:worker_threads'
import { openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { serveMatcher, threadMatcher, type WorkerLike } from '../../src/exports/thread.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { bundled } from '../../src/search/model/bundled/package.js'

const MESSAGES = ['make slides about our launch', 'check this invoice against the order', 'a poster for the party']
/** Time for the worker to become idle, in ms. */
const IDLE = 1_000

const [, , folder = '', warmed] = process.argv
const { port1, port2 } = new MessageChannel()
const open = async () => {
  const matcher = localMatcher({ embedder: await bundled() })
  // A copy is not warmed.
  return warmed === 'yes' ? matcher : { ...matcher }
}
serveMatcher(open, port2 as unknown as WorkerLike)
const matcher = threadMatcher({ worker: () => port1 as unknown as WorkerLike })
const library = await openLibrary(directory(folder), { matcher, embedder: false })
await new Promise(resolve => setTimeout(resolve, IDLE))
const times: number[] = []
for (const message of MESSAGES) {
  const start = performance.now()
  await library.match(message)
  times.push(performance.now() - start)
}
await library.close()
console.log(JSON.stringify(times))
