import { readdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { isRecord } from '../../core/plain-data.js'
import { plainLine } from '../../core/sanitize.js'
import { writeCatalog } from '../../library/catalog/packed-catalog.js'
import { planPack } from '../../library/store/pack/plan.js'
import { bundled } from '../../search/model/bundled/package.js'
import { fullDescription } from '../../skill/full-description.js'
import { MESSAGES_FILE } from '../../skill/messages.js'
import { parseSkill } from '../../skill/parse.js'
import { readRegularFile } from '../../source/directory/regular-file.js'
import { memory } from '../../source/memory.js'
import { attempt } from './attempt.js'
import {
  type CachedSkill,
  type CacheState,
  type ReadCacheFile,
  readState,
  stateFile,
} from './cache.js'
import { writeLog } from './log.js'
import { makeOwnFolder, writeOwnFile } from './own-files.js'
import { isOffered } from './places.js'
import { RECENT_PACKS, unlockRefresh } from './refresh-lock.js'
import type { Scan, ScannedFile, ScannedSkill } from './scan.js'
import { shorten } from './section.js'

/** Characters of a description that a prompt shows. */
const LINE = 160
/** Milliseconds after which no prompt still reads, and no process still writes, a file that the state does not name. */
const UNUSED = 600_000

export interface PackedSkills {
  state: CacheState
  read: ReadCacheFile
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

/** Packs the skills of a scan into a cache folder, and logs what is not offered. @throws if they cannot be written */
export async function packCache(folder: string, scan: Scan): Promise<CacheState> {
  const packed = await packSkills(scan)
  keepPacked(folder, scan, packed)
  // Not after an error: the next try waits until the lock is old.
  unlockRefresh(folder)
  return packed.state
}

/** Packs the skills of a scan. */
export async function packSkills(scan: Scan): Promise<PackedSkills> {
  const source: Record<string, Uint8Array> = {}
  for (const [path, skill] of scan.skills) {
    const { file, messages } = skill
    const content = attempt(() => read(file), undefined)
    // A skill that is switched off must not take part in the scores of the others.
    if (!content || !(await isPacked(scan, skill, content))) continue
    source[`${path}/SKILL.md`] = content
    const text = messages && attempt(() => read(messages), undefined)
    if (text) source[`${path}/${MESSAGES_FILE}`] = text
  }
  // The cache stays on this machine: a secret in one skill must not silence the others.
  const plan = await planPack(memory(source, { name: 'skills' }), {
    embedder: await bundled(),
    secrets: 'keep',
    internal: true,
  })
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [path, file] of plan.files) {
    // The skills themselves stay where they are.
    if (file.part === 'segment') files.set(path, await file.read())
  }
  const bytes = await writeCatalog(plan.catalog)
  const catalog = `${shortDigest(await digestOfLarge(bytes))}.json`
  files.set(catalog, bytes)
  const { skills: entries } = plan.catalog
  const cached = entries.map(
    ({ path, copies, disableModelInvocation, ...entry }): [string, CachedSkill] => {
      const skill: CachedSkill = { line: shorten(plainLine(fullDescription(entry)), LINE) }
      if (disableModelInvocation) skill.manual = true
      if (copies) skill.copies = copies
      return [`skills/${path}`, skill]
    },
  )
  const hasPaths = entries.some(({ paths }) => paths)
  const state: CacheState = {
    fingerprint: scan.fingerprint,
    catalog,
    hasPaths,
    skills: Object.fromEntries(cached),
    packed: [Date.now()],
  }
  return { state, files, read: file => readPacked(files, file) }
}

async function isPacked(
  { rules }: Scan,
  { path, root, policy }: ScannedSkill,
  content: Uint8Array,
): Promise<boolean> {
  if (policy && isHidden(policy)) return false
  if (rules.length === 0) return true
  const { metadata } = await parseSkill(content, { folder: dirname(path), countTokens: () => 0 })
  return isOffered(rules, { name: metadata.name, path, root })
}

/** Whether a file of its host hides a skill from the model. Codex ignores one that is not YAML. */
function isHidden(policy: ScannedFile): boolean {
  const content: unknown = attempt(() => parse(Buffer.from(read(policy)).toString()), undefined)
  const rules = isRecord(content) ? content['policy'] : undefined
  return isRecord(rules) && rules['allow_implicit_invocation'] === false
}

/** Writes the packed skills of a scan, and logs what is not offered. The state is written last, so that readers find all of it. */
export function keepPacked(
  folder: string,
  { problems }: Scan,
  { state, files }: PackedSkills,
): void {
  makeOwnFolder(dirname(folder))
  makeOwnFolder(folder)
  const before = readState(folder)
  for (const [file, bytes] of files) writeOwnFile(join(folder, file), bytes)
  const packed = [...(before?.packed ?? []), ...state.packed].slice(-RECENT_PACKS)
  writeOwnFile(stateFile(folder), JSON.stringify({ ...state, packed }))
  for (const problem of problems) writeLog(dirname(folder), problem)
  removeUnused(
    folder,
    new Set([stateFile(folder), ...[...files.keys()].map(file => join(folder, file))]),
  )
}

/** Removes old files. Those of the last minutes may be of a prompt that reads them now, or of a process that writes its state next. */
function removeUnused(folder: string, used: ReadonlySet<string>): void {
  for (const name of attempt(() => readdirSync(folder), [])) {
    const path = join(folder, name)
    if (used.has(path)) continue
    attempt(() => {
      if (Math.abs(Date.now() - statSync(path).ctimeMs) > UNUSED) {
        rmSync(path, { recursive: true, force: true })
      }
    }, undefined)
  }
}

/** S2: The file that was looked at is read, not one that took its place since. */
function read({ path, dev, ino, size }: ScannedFile): Uint8Array {
  const problemOf = (now: Stats): string | undefined =>
    now.dev === dev && now.ino === ino ? undefined : 'was replaced while it was read'
  return readRegularFile(path, { limit: size, problemOf })
}

function readPacked(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  file: string,
): Uint8Array<ArrayBuffer> {
  const bytes = files.get(file)
  if (!bytes) throw new Error(`${file} is missing`)
  return bytes
}
