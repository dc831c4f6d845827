/** The hook itself: `node dist/tools/hook/main.js claude-code`. One file of its own, because a host starts it at each prompt. */
import { readFileSync, writeSync } from 'node:fs'
import { scanFolders } from './cache.js'
import { runHook } from './run-hook.js'

const [host = '', folder, ...roots] = process.argv.slice(2)
if (host === '--refresh') {
  const { packCache } = await import('./pack-cache.js')
  await packCache(folder as string, scanFolders(roots))
} else {
  let input = ''
  try {
    input = readFileSync(0, 'utf8')
  } catch {
    // Without an input there is no prompt.
  }
  const answer = await runHook(host, input)
  if (answer !== '') writeSync(1, `${answer}\n`)
  // Nothing is left to do, whatever is still open.
  process.exit(0)
}
