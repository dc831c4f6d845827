/** The hook itself, bundled into one file with all that a prompt needs. `main.ts` runs it. */
import { readFileSync, writeSync } from 'node:fs'
import { attempt } from './attempt.js'
import { runHook } from './run-hook.js'

/** Answers the prompt of stdin for a host, or packs folders (`--refresh`). Returns whether a prompt got skills. */
export async function answer([host = '', folder = '']: readonly string[]): Promise<boolean> {
  if (host === '--refresh') {
    const { refreshCache } = await import('./refresh.js')
    await refreshCache(folder)
    return false
  }
  const input = attempt(() => readFileSync(0, 'utf8'), '')
  const text = await runHook(host, input)
  if (text !== '') writeSync(1, `${text}\n`)
  return text !== ''
}
