import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { invalidInput } from '../../../core/errors.js'
import type { OnProgress } from '../../../core/progress.js'
import {
  type PackedOutput,
  type PackedPart,
  type PackSummary,
  writePack,
} from '../../../library/store/pack/pack.js'
import type { PackOptions } from '../../../library/store/pack/pack-options.js'
import { internalSkills, type PackPlan, planPack } from '../../../library/store/pack/plan.js'
import { bundled } from '../../../search/model/bundled/package.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { directory } from '../../../source/directory/directory.js'
import { withPackages } from '../../../source/packages/with-packages.js'
import type { ListableSource } from '../../../source/source.js'
import { allowedInFolderOf, allowOption, internalOption } from '../allow.js'
import {
  type CommandDefinition,
  type CommonFlags,
  collect,
  DIR_HELP,
  OPTIONS,
  STRICT_HELP,
} from '../command.js'
import { countLeftOut, formatDiagnostic } from '../diagnostics.js'
import { type EncoderFlags, encoderOf, encoderOptions } from '../encoder.js'
import { folderSource } from '../folder-source.js'
import {
  EXIT,
  formatBytes,
  type Io,
  plural,
  printJson,
  printLines,
  withProgressBar,
} from '../io.js'
import { LOCK_FILE } from '../lock-file.js'
import {
  allInternalError,
  findOwnFolder,
  isPacked,
  noSkillsError,
  noUsableSkillError,
} from '../open-library.js'
import { type OutputFolder, openOutputFolder } from '../pack-output.js'
import { packageSource, packagesOption } from '../packages.js'
import { displayPath, isBelow, resolveLinks, shellQuote } from '../paths.js'
import { requireLocked } from './lock.js'

interface PackFlags extends CommonFlags, EncoderFlags {
  out: string
  name?: string
  strict?: boolean
  keepOld?: boolean
  /** `true` unless `--no-well-known` is given. */
  wellKnown?: boolean
  sign?: readonly string[]
  revision?: number
  /** Days. */
  expires?: number
  allow?: readonly string[] | undefined
  packages?: readonly string[]
  frozen?: boolean
  internal?: boolean
}

const PARALLEL_WRITES = 8
/** Written last, because they refer to the other files and readers must not find a file missing. */
const WRITTEN_LAST: ReadonlySet<PackedPart> = new Set(['hosting', 'index', 'catalog'])

export const packCommand: CommandDefinition = (command, run) => {
  const pack = command('pack', 'Pack skills into a library for a static host', [
    'pack skills --out public/skills',
    'pack --out dist/library --name team --strict',
    'pack skills --out public --no-well-known',
    'pack skills --out public/skills --sign team.pem',
    'pack skills --out public/skills --encoder',
    'pack skills --out public/skills --packages @tanstack/db --frozen',
  ])
    .argument('[dir]', DIR_HELP)
    .requiredOption('-o, --out <dir>', 'output folder; nothing outside it is changed')
    .option('--name <name>', "name of the library in skillshelf.json (default: the folder's name)")
    .option('--strict', `${STRICT_HELP}; exit with 1 if there is one`)
    .option(
      '--no-well-known',
      'do not publish for `npx skills add` and other clients of well-known skills',
    )
    .option('--keep-old', 'keep files of earlier packs, for readers that hold an older catalog')
    .option(
      '--sign <file>',
      'sign with the private key of `skillshelf keys new` (repeatable)',
      collect,
    )
    .option(
      '--revision <n>',
      'with --sign, number that readers compare (default: seconds since 1970)',
      parseRevision,
    )
    .option(
      '--expires <days>',
      'with --sign, days after which readers refuse the library (default: never)',
      parseDays,
    )
    .option('--no-meaning', 'leave out the vectors of the bundled model: 136 bytes per skill')
    .addOption(packagesOption())
    .option('--frozen', `write nothing if a skill differs from ${LOCK_FILE}`)
    .addOption(allowOption())
    .addOption(internalOption())
    .addOption(OPTIONS.json)
  for (const option of encoderOptions()) pack.addOption(option)
  pack.action(run(packFolder))
}

async function packFolder(io: Io, dir: string | undefined, flags: PackFlags): Promise<number> {
  if (flags.out.trim() === '') {
    throw invalidInput(
      '`--out` is empty',
      'give the output folder; check whether a shell variable is unset',
    )
  }
  const { packages } = flags
  const path = await findOwnFolder(io, dir, packages)
  const where = displayPath(io, path)
  if (flags.name?.trim() === '') {
    throw invalidInput('`--name` is empty', 'give the library a name, or leave --name out')
  }
  const signing = await readSigning(io, flags, [path, resolve(io.cwd, flags.out)])
  const allow = await allowedInFolderOf(io, path, flags.allow)
  const out = await openOutputFolder(resolve(io.cwd, flags.out), path, flags)
  const encoder = await encoderOf(io, flags)
  if (flags.frozen) await requireLocked(io, { folder: path, packages })
  const own = folderSource(io, path, { name: flags.name })
  const source = packages ? withPackages(own, packageSource(io, packages)) : own
  const written = await withProgressBar(io, async bar => {
    const { strict, internal, meaning = true } = flags
    const update =
      (label: string): OnProgress =>
      ({ done, total }) =>
        bar.update(label, done, total)
    const labels = { read: 'reading', load: 'loading the encoder', embed: 'embedding' }
    const plan = await planPack(source, {
      ...{ strict, allow, internal, signal: io.signal },
      embedder: meaning ? await bundled() : undefined,
      encoder,
      // Skills that have not changed keep the vectors that they have there.
      previous: directory(out.root),
      onProgress: progress =>
        update(labels[progress.phase as keyof typeof labels] ?? 'indexing')(progress),
    })
    // An empty library could replace a good one.
    if (plan.skills.length === 0) throw await emptyPackError(source, where, plan)
    return writeFolder(io, plan, out, { ...flags, signing, onProgress: update('writing') })
  })
  const { diagnostics } = written
  const summary = summarize(written)
  if (flags.json) printJson(io, { out: out.root, summary, diagnostics })
  else printLines(io, summaryLines(summary, diagnostics, { where, out: displayPath(io, out.root) }))
  return flags.strict && summary.leftOut > 0 ? EXIT.failed : EXIT.ok
}

function parseRevision(value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new InvalidArgumentError('Must be an integer from 0 with at most 15 digits.')
  }
  return Number(value)
}

function parseDays(value: string): number {
  const days = Number(value)
  if (!(Number.isInteger(days) && days >= 1 && days <= 36_500)) {
    throw new InvalidArgumentError('Must be a whole number of days from 1.')
  }
  return days
}

/** @param published Folders that are packed or hosted. */
async function readSigning(
  io: Io,
  { sign, revision, expires: days }: PackFlags,
  published: readonly string[],
): Promise<PackOptions['sign']> {
  if (!sign && revision === undefined && days === undefined) return undefined
  if (!sign) {
    const flag = revision === undefined ? '--expires' : '--revision'
    throw invalidInput(
      `\`${flag}\` needs \`--sign\``,
      'create a key with: skillshelf keys new team',
    )
  }
  for (const file of sign) {
    for (const folder of published) await rejectKeyInside(io, resolve(io.cwd, file), folder)
  }
  const privateKeys = await Promise.all(sign.map(file => readFile(resolve(io.cwd, file), 'utf8')))
  const now = Math.floor(Date.now() / 1_000)
  return { privateKeys, revision, expires: days === undefined ? undefined : now + days * 86_400 }
}

/** S10: whoever gets the private key signs in the name of its owner. @throws if the key or its link is in a folder that is published */
async function rejectKeyInside(io: Io, key: string, folder: string): Promise<void> {
  const keys = [key, await resolveLinks(key).catch(() => key)]
  const folders = [folder, await resolveLinks(folder)]
  if (!keys.some(one => folders.some(outer => isBelow(one, outer)))) return
  throw invalidInput(
    `The private key ${displayPath(io, key)} is in ${displayPath(io, folder)}, which is published`,
    'move it out of that folder; if it was published before, create another key and revoke this one',
  )
}

interface WriteOptions extends PackFlags {
  signing: PackOptions['sign']
  /** Counts the files of the library. */
  onProgress: OnProgress
}

/** What a pack wrote. */
interface WrittenPack extends Omit<PackSummary, 'files'> {
  files: readonly WrittenFile[]
  /** Number of files of skills. */
  skillFiles: number
  /** Number of files of earlier packs that were removed. */
  removed: number
}

async function writeFolder(
  io: Io,
  plan: PackPlan,
  out: OutputFolder,
  { keepOld, wellKnown, signing, onProgress }: WriteOptions,
): Promise<WrittenPack> {
  const files: WrittenFile[] = []
  const write = async ({ path, bytes, part }: PackedOutput): Promise<void> => {
    const outcome = await out.write({ path, bytes, part })
    const content = outcome === 'left' ? new TextDecoder().decode(bytes) : undefined
    files.push({ path, part, size: bytes.length, outcome, content })
    onProgress({
      phase: 'write',
      done: files.length,
      total: Math.max(files.length, plan.files.size),
    })
  }
  const outputs = writePack(plan, {
    signal: io.signal,
    wellKnown,
    sign: signing,
  })
  const batch: PackedOutput[] = []
  const last: PackedOutput[] = []
  for (;;) {
    const { done, value } = await outputs.next()
    if (done) {
      await writeAll(batch, write)
      for (const output of last) await write(output)
      const removed = keepOld ? 0 : await out.removeOld()
      return { ...value, files, skillFiles: value.files, removed }
    }
    if (WRITTEN_LAST.has(value.part)) last.push(value)
    else if (batch.push(value) === PARALLEL_WRITES) await writeAll(batch.splice(0), write)
  }
}

/** Writes files at the same time. If one fails, it waits for the others, so that nothing is written after the error. */
async function writeAll(
  outputs: readonly PackedOutput[],
  write: (output: PackedOutput) => Promise<void>,
) {
  const results = await Promise.allSettled(outputs.map(write))
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Explains why a pack has no skills. */
export async function emptyPackError(
  source: ListableSource,
  where: string,
  { found, diagnostics }: Pick<PackPlan, 'found' | 'diagnostics'>,
): Promise<Error> {
  if (internalSkills(diagnostics).length > 0) return allInternalError(where)
  if (found > 0) return noUsableSkillError(where)
  if (await isPacked(source.root?.('') ?? '')) {
    return invalidInput(
      `${where} is already a packed library`,
      'pack the folder of skills it was packed from',
    )
  }
  return noSkillsError(where)
}

interface WrittenFile {
  path: string
  part: PackedPart
  size: number
  outcome: 'written' | 'kept' | 'left'
  /** Content that pack would have written. Set for outcome `left`. */
  content: string | undefined
}

/** Reasons printed one by one. Above that, only their number is printed. */
const MAX_REASONS = 10
const LEFT_OUT: ReadonlySet<Diagnostic['code']> = new Set([
  'skill-left-out',
  'skill-unreadable',
  'path-refused',
  'file-not-there',
])
const PUBLISHED: ReadonlySet<Diagnostic['code']> = new Set([
  'published-name',
  'published-partly',
  'published-large',
])
const PARTS: readonly [part: PackedPart, label: string][] = [
  ['catalog', 'catalog'],
  ['segment', 'segments'],
  ['vectors', 'vectors'],
  ['piece', 'pieces'],
  ['file', 'files'],
  ['archive', 'archives'],
  ['index', 'indexes'],
]

function summarize({
  found,
  skills,
  skillFiles,
  removed,
  wellKnown,
  diagnostics,
  files,
}: WrittenPack) {
  const count = (outcome: WrittenFile['outcome']): number =>
    files.filter(one => one.outcome === outcome).length
  const bytesOf = (isCounted: (file: WrittenFile) => boolean): number =>
    files.filter(isCounted).reduce((sum, { size }) => sum + size, 0)
  return {
    found,
    skills,
    leftOut: countLeftOut(diagnostics),
    files: skillFiles,
    bytes: bytesOf(({ outcome }) => outcome !== 'left'),
    parts: Object.fromEntries(PARTS.map(([part]) => [part, bytesOf(file => file.part === part)])),
    written: count('written'),
    kept: count('kept'),
    /** Hosting files that pack did not write, and the content that it would have written. */
    left: files.flatMap(({ path, content }) =>
      content === undefined ? [] : [{ path, wanted: content }],
    ),
    removed,
    wellKnown,
  }
}

function summaryLines(
  {
    skills,
    leftOut,
    files,
    bytes,
    written,
    kept,
    left,
    removed,
    wellKnown,
    ...summary
  }: ReturnType<typeof summarize>,
  diagnostics: readonly Diagnostic[],
  { where, out }: { where: string; out: string },
): string[] {
  const parts = PARTS.flatMap(([part, label]) => {
    const sum = summary.parts[part] ?? 0
    return sum > 0 ? [`${label} ${formatBytes(sum)}`] : []
  })
  const reasons = diagnostics.filter(
    ({ severity, code }) => severity === 'error' && LEFT_OUT.has(code),
  )
  const published = diagnostics.filter(({ code }) => PUBLISHED.has(code))
  const lines = [
    `Packed ${plural(skills, 'skill')} with ${plural(files, 'file')} into ${out}`,
    `${plural(written + kept, 'packed file')}, ${formatBytes(bytes)}: ${written} written, ${kept} unchanged, ${removed} removed`,
    `  ${parts.join(', ')}`,
  ]
  if (wellKnown) {
    const { skills: all, readable } = wellKnown
    const plain = readable < all ? ` (${readable} for clients that read plain YAML only)` : ''
    lines.push(`Published as well-known skills: ${all} for v0.2 clients${plain}`)
  }
  for (const { path, wanted } of left) {
    lines.push('', `${path} was not written by pack and stays unchanged`)
    if (wanted !== '') {
      lines.push(
        '  Add the missing parts of what pack would have written:',
        ...wanted.trimEnd().replace(/^/gm, '    ').split('\n'),
      )
    }
  }
  if (reasons.length > 0 || leftOut > 0) lines.push('')
  if (leftOut > 0) lines.push(`${plural(leftOut, 'SKILL.md file')} left out`)
  lines.push(...reasonLines(reasons, `skillshelf validate ${shellQuote(where)}`))
  const internal = internalSkills(diagnostics)
  if (internal.length > 0) lines.push('', internalLine(internal.length))
  if (published.length > 0) lines.push('', 'Published with changes')
  lines.push(...reasonLines(published, 'skillshelf pack --json'))
  return lines
}

function internalLine(count: number): string {
  return `${plural(count, 'internal skill')} left out; publish ${count === 1 ? 'it' : 'them'} with --internal`
}

function reasonLines(reasons: readonly Diagnostic[], command: string): string[] {
  if (reasons.length > MAX_REASONS) return [`  see the ${reasons.length} reasons with: ${command}`]
  return reasons.map(reason => `  ${formatDiagnostic(reason)}`)
}
