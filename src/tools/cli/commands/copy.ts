import { basename, dirname, join, resolve } from 'node:path'
import { invalidInput, throwIfAborted } from '../../../core/errors.js'
import { groupBy } from '../../../core/group-by.js'
import { VERSION } from '../../../core/version.js'
import { type BrowserFile, PACKAGE_FOLDER, readBrowserFiles } from '../browser-files.js'
import { type CommandDefinition, type CommonFlags, OPTIONS } from '../command.js'
import { EXIT, formatBytes, type Io, plural, printJson, printLines } from '../io.js'
import { COPY_MANIFEST, openTrackedFiles } from '../pack-manifest.js'
import { hasContent, makeFolderIn } from '../pack-output.js'
import { displayPath, resolveLinks, shellQuote, writeAtomic } from '../paths.js'

const ENTRY = 'dist/browser/skillshelf.js'
/** Paths that are named in an error. */
const MAX_NAMED = 3

export const copyCommand: CommandDefinition = (command, run) =>
  command('copy', 'Copy the scripts and the model for a page without a bundler', [
    'copy public/skillshelf',
  ])
    .argument('<folder>', 'folder on the host; only files of earlier copies are replaced')
    .addOption(OPTIONS.json)
    .action(run(copyFiles))

async function copyFiles(io: Io, folder: string, { json }: CommonFlags): Promise<number> {
  const root = await resolveLinks(resolve(io.cwd, folder))
  const where = displayPath(io, root)
  if (root === (await resolveLinks(PACKAGE_FOLDER.slice(0, -1)))) {
    throw invalidInput(`${where} is the package itself`, 'choose a folder of your site')
  }
  const files = await readBrowserFiles()
  const tracked = await openTrackedFiles(root, COPY_MANIFEST)
  const targetOf = (path: string): string => join(root, ...path.split('/'))

  const missing: BrowserFile[] = []
  const foreign: string[] = []
  for (const file of files) {
    throwIfAborted(io.signal)
    if (await hasContent(targetOf(file.path), file.bytes, false)) continue
    if (await tracked.isOurs(file.path)) missing.push(file)
    else foreign.push(file.path)
  }
  if (foreign.length > 0) throw foreignError(where, foreign)

  // The module that pages import comes last: until then, it names the scripts of the earlier copy.
  missing.sort((a, b) => Number(a.path === ENTRY) - Number(b.path === ENTRY))
  const folders = new Set(missing.map(({ path }) => dirname(targetOf(path))))
  for (const folder of [root, ...folders]) await makeFolderIn(root, folder)
  const changed = new Set(missing)
  for (const { path, bytes } of files.filter(file => !changed.has(file))) {
    await tracked.record(path, bytes)
  }
  for (const { path, bytes } of missing) {
    throwIfAborted(io.signal)
    await tracked.record(path, bytes)
    await writeAtomic(targetOf(path), bytes)
  }
  const removed = await tracked.removeOld(new Set(files.map(({ path }) => path)))

  const sizes = Array.from(
    groupBy(files, ({ kind }) => kind),
    ([kind, some]) => ({
      kind,
      bytes: some.reduce((sum, { bytes }) => sum + bytes.length, 0),
    }),
  )
  const counts = { written: missing.length, kept: files.length - missing.length, removed }
  const [written, kept] = [counts.written, counts.kept].map(count => count.toLocaleString('en'))
  if (json) {
    printJson(io, { folder: root, version: VERSION, entry: ENTRY, sizes, ...counts })
    return EXIT.ok
  }
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  printLines(
    io,
    `Copied skillshelf ${VERSION} into ${where}`,
    `${plural(files.length, 'file')}, ${formatBytes(total)}: ${written} written, ${kept} unchanged, ${removed} removed`,
    `  ${sizes.map(({ kind, bytes }) => `${kind} ${formatBytes(bytes)}`).join(', ')}`,
    '',
    'Serve the folder as it is, under any path. A page beside it imports the library so:',
    `  import { openLibrary } from './${basename(root)}/${ENTRY}'`,
    'With a content security policy, the page needs:',
    "  script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    'Pack the skills beside it with:',
    `  skillshelf pack ./skills --out ${shellQuote(join(displayPath(io, dirname(root)), 'skills'))}`,
  )
  return EXIT.ok
}

function foreignError(where: string, paths: readonly string[]): Error {
  const named = paths.slice(0, MAX_NAMED).join(', ')
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''
  return invalidInput(
    `${where} has files of others where copy would write: ${named}${more}`,
    'choose another folder, or move them away; files of an earlier copy that were edited count as files of others',
  )
}
