import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Far above the start of a process. One that is kept alive never ends. */
const TIMEOUT = 60_000

it('[BY-40] a library in `indexedDb` that is not closed lets the process end', async () => {
  const program = `
    const { openLibrary } = await import('skillshelf')
    const { indexedDb } = await import('skillshelf/sources')
    await openLibrary(indexedDb('skills'), { embedder: false, onDiagnostic: () => {} })
    console.log('opened')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    timeout: TIMEOUT,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (printed += text))
  expect(await once(child, 'close')).toEqual([0, null])
  expect(printed).toBe('opened\n')
})
