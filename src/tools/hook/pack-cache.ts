import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { plainLine } from '../../core/sanitize.js'
import { readCatalog } from '../../library/catalog/packed-catalog.js'
import { packTree } from '../../library/store/pack/pack.js'
import { bundled } from '../../search/model/bundled/package.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { memory } from '../../source/memory.js'
import { attempt } from './attempt.js'
import { type CachedSkill, type CacheState, type Scan, STATE_FILE } from './cache.js'

/** Characters of a description that a prompt shows. */
const LINE = 160

/** Packs the skills of a scan into a cache folder. The state is written last, so that readers find all of it. */
export async function packCache(folder: string, { files, fingerprint }: Scan): Promise<CacheState> {
  const source: Record<string, Uint8Array> = {}
  for (const [path, file] of files) {
    const content = attempt(() => readFileSync(file), undefined)
    if (content) source[`${path}/SKILL.md`] = content
    const messages = attempt(() => readFileSync(join(dirname(file), 'messages.txt')), undefined)
    if (messages) source[`${path}/messages.txt`] = messages
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const kept = new Set([STATE_FILE])
  let catalog: { file: string; bytes: Uint8Array<ArrayBuffer> } | undefined
  // The cache stays on this machine: a secret in one skill must not silence the others.
  const outputs = packTree(memory(source, { name: 'skills' }), { embedder: await bundled(), secrets: 'keep' })
  for await (const { path, bytes, part } of outputs) {
    // The skills themselves stay where they are.
    if (part !== 'segment' && part !== 'catalog') continue
    const file = path === CATALOG_FILE ? `${shortDigest(await digestOfLarge(bytes))}.json` : path
    if (part === 'catalog') catalog = { file, bytes }
    kept.add(file)
    writeWhole(join(folder, file), bytes)
  }
  if (!catalog) throw new Error('the pack has no catalog')
  const { skills } = await readCatalog(catalog.bytes, CATALOG_FILE)
  const cached = skills.map(({ path, description, disableModelInvocation }): [string, CachedSkill] => {
    const skill = { path: files.get(path) as string, line: shorten(plainLine(description)) }
    return [`skills/${path}`, disableModelInvocation ? { ...skill, manual: true } : skill]
  })
  const hasPaths = skills.some(({ paths }) => paths)
  const state: CacheState = { fingerprint, catalog: catalog.file, hasPaths, skills: Object.fromEntries(cached) }
  writeWhole(join(folder, STATE_FILE), JSON.stringify(state))
  for (const file of readdirSync(folder)) if (!kept.has(file)) rmSync(join(folder, file), { force: true })
  return state
}

/** Writes a file so that readers never see half of it. */
function writeWhole(file: string, content: Uint8Array | string): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, content, { mode: 0o600 })
  renameSync(temporary, file)
}

function shorten(line: string): string {
  return line.length <= LINE ? line : `${line.slice(0, LINE - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
