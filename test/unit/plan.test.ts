import { describe, expect, it } from 'vitest'
import { memoryEngine, publishToEngine } from '../../src/exports/engine.js'
import { type PackSummary, writePack } from '../../src/library/store/pack/pack.js'
import type { PackOptions, PlanOptions } from '../../src/library/store/pack/pack-options.js'
import { type PackPlan, planPack } from '../../src/library/store/pack/plan.js'
import { planLibrary } from '../../src/library/store/pack/plan-library.js'
import { skillStore } from '../../src/library/store/store.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'
import { type Files, packedFiles } from '../packed-files.js'
import { watchReads } from '../watch-reads.js'

const skill = (name: string, body = 'Use it.'): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${body}\n`
const FILES: Files = {
  'slides/SKILL.md': skill('slides'),
  'slides/messages.txt': 'make a keynote\n',
  'slides/logo.png': new Uint8Array(2_000),
  'slides/scripts/layout.py': 'print(1)\n',
  'tea/SKILL.md': skill('tea'),
}
const SECRET = { 'tea/.env': 'TOKEN=not-a-real-one\n' }

/** How often each path was read. */
const counts = (reads: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(reads)].sort().map(path => [path, reads.filter(one => one === path).length]),
  )
const each = (paths: readonly string[], count: number): Record<string, number> =>
  Object.fromEntries([...paths].sort().map(path => [path, count]))

async function written(plan: PackPlan, options?: Pick<PackOptions, 'wellKnown' | 'signal'>) {
  const files: Record<string, Uint8Array<ArrayBuffer>> = {}
  const outputs = writePack(plan, options)
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) files[next.value.path] = next.value.bytes
  return { files, summary: next.value as PackSummary }
}

describe('planPack', () => {
  it('[BY-5] reads each file once, to examine, plan, write and publish it', async () => {
    const { source, reads } = watchReads(memory(FILES))
    const { files } = await written(await planPack(source), { wellKnown: true })
    expect(counts(reads)).toEqual(each([CATALOG_FILE, ...Object.keys(FILES)], 1))
    expect(files).toEqual(await packedFiles(memory(FILES), { wellKnown: true }))
  })

  it('[BY-5] has the entries and the files that are written, and nothing is read but them', async () => {
    const plan = await planPack(memory(FILES))
    const { files, summary } = await written(plan)
    expect(plan.skills.map(({ entry }) => entry)).toEqual(plan.catalog.skills)
    expect(plan.catalog.skills.map(({ path }) => path)).toEqual(['slides', 'tea'])
    expect([...plan.files.keys(), CATALOG_FILE]).toEqual(Object.keys(files))
    for (const [path, { size }] of plan.files) expect(files[path]).toHaveLength(size)
    expect(summary).toMatchObject({ found: 2, skills: 2, files: 5 })
  })

  it('[BY-5] holds files up to a limit, and gives the same bytes', async () => {
    const held = 'slides/scripts/layout.py'
    const { source, reads } = watchReads(memory(FILES))
    const list = async () => (await memory(FILES).list()).filter(({ path }) => path !== 'x')
    const plan = await planPack({ ...source, list }, { hold: 10 })
    const planned = counts(reads.splice(0))
    expect(planned).toEqual({
      ...each([CATALOG_FILE, ...Object.keys(FILES)], 1),
    })
    const { files } = await written(plan)
    const others = Object.keys(FILES).filter(path => path !== held)
    expect(counts(reads)).toEqual(each(others, 1))
    expect(files).toEqual(await packedFiles(memory(FILES)))
  })

  it.each([
    ['slides/SKILL.md', { wellKnown: false }],
    ['slides/logo.png', { wellKnown: false }],
    ['slides/logo.png', { wellKnown: true }],
  ])('[BY-5] %s that changes after it was planned is an error (%o)', async (path, options) => {
    const source = memory(FILES)
    const plan = await planPack(source, { hold: 0 })
    await source.write({ put: { [path]: 'other' } })
    const message = expect.stringContaining(`${path} changed while it was packed`)
    await expect(written(plan, options)).rejects.toMatchObject({ code: 'source-failed', message })
  })

  it('[BY-5] names every secret before anything is written, also of files that it does not hold', async () => {
    const source = memory({ ...FILES, ...SECRET, 'slides/id_rsa': 'x' })
    for (const hold of [0, undefined]) {
      const message = expect.stringMatching(/slides\/id_rsa:1 .*tea\/\.env:1 /)
      await expect(planPack(source, { hold })).rejects.toMatchObject({
        code: 'invalid-input',
        message,
      })
      const plan = await planPack(source, { hold, secrets: 'leave-out' })
      expect((await written(plan)).files).toEqual(await packedFiles(memory(FILES)))
      const left = plan.diagnostics.filter(({ code }) => code === 'secret-left-out')
      expect(left.map(({ path }) => path)).toEqual(['slides/id_rsa', 'tea/.env'])
    }
  })

  it('[BY-5] stops when aborted: while it plans, and while it writes', async () => {
    const stopping = new AbortController()
    const { signal } = stopping
    const source = memory(FILES)
    const indexing: PlanOptions['onProgress'] = ({ phase }) => {
      if (phase === 'write') stopping.abort()
    }
    const aborted = { code: 'aborted' }
    await expect(planPack(source, { signal, onProgress: indexing })).rejects.toMatchObject(aborted)
    const plan = await planPack(source)
    await expect(written(plan, { signal })).rejects.toMatchObject(aborted)
  })
})

describe('planLibrary', () => {
  it('[BY-5] plans a tree as planPack does, and a copy of a packed library', async () => {
    const tree = await planLibrary(memory(FILES), {})
    const packed = await packedFiles(memory(FILES))
    const { source, reads } = watchReads<SkillSource>(memory(packed))
    const copy = await planLibrary(source, {})
    expect((await written(tree)).files).toEqual(packed)
    expect((await written(copy)).files).toEqual(packed)
    expect(copy.skills).toEqual(tree.skills)
    expect(counts(reads)).toEqual(each(Object.keys(packed), 1))
  })

  it('[BY-6] a store reads the catalog and each file of what it installs once', async () => {
    const packed = await packedFiles(memory({ ...FILES, 'SKILL.md': skill('root') }))
    for (const files of [packed, FILES]) {
      const { source, reads } = watchReads<SkillSource>(memory(files))
      const store = skillStore(memory())
      await store.install(source)
      expect(counts(reads)).toEqual(each([...new Set([CATALOG_FILE, ...Object.keys(files)])], 1))
    }
  })

  it('[BY-15] a publish to an engine reads the catalog and each file once', async () => {
    const { source, reads } = watchReads<SkillSource>(memory(await packedFiles(memory(FILES))))
    const paths = (await memory(await packedFiles(memory(FILES))).list()).map(({ path }) => path)
    await publishToEngine(source, { engine: memoryEngine(), files: memory() })
    expect(counts(reads)).toEqual(each(paths, 1))
  })
})
