/** The hook itself, bundled into one file with all that a prompt needs. `main.cts` runs it. */
import { readFileSync, writeSync } from 'node:fs'
import { attempt } from './attempt.js'
import { scanFolders } from './cache.js'
import { runHook } from './run-hook.js'

/** Answers the prompt of stdin for a host, or packs folders (`--refresh`). Returns whether a prompt got skills. */
export async function answer([host = '', folder, ...roots]: readonly string[]): Promise<boolean> {
  if (host === '--refresh') {
    const { packCache } = await import('./pack-cache.js')
    await packCache(folder as string, scanFolders(roots))
    return false
  }
  const input = attempt(() => readFileSync(0, 'utf8'), '')
  const text = await runHook(host, input)
  if (text !== '') writeSync(1, `${text}\n`)
  return text !== ''
}
