import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'
import type { ReadOptions, SkillSource } from '../../src/source/source.js'
import { packedFiles } from '../packed-files.js'
import { samples } from '../samples.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

interface Both {
  source: SkillSource
  tree: SkillLibrary
  packedLibrary: SkillLibrary
}

async function openBoth(root: string): Promise<Both> {
  const source = directory(root, { name: 'real' })
  const files = await packedFiles(source)
  return {
    source,
    tree: await openLibrary(source),
    packedLibrary: await openLibrary(memory(files, { name: 'real' })),
  }
}

async function sameSkills({ tree, packedLibrary }: Both): Promise<void> {
  const withoutDetails = (library: SkillLibrary) => [
    library.snapshot.skills,
    library.snapshot.diagnostics,
  ]
  expect(withoutDetails(packedLibrary)).toEqual(withoutDetails(tree))
  for (const { id } of tree.snapshot.skills) {
    const { root: _, files, ...here } = await tree.get(id)
    const { root: __, files: packed, ...there } = await packedLibrary.get(id)
    expect(there).toEqual(here)
    expect(packed.map(({ digest: ___, ...file }) => file)).toEqual(files)
  }
}

/** Checks that every file of every skill equals the file on disk, in both libraries. */
async function sameBytes({ tree, packedLibrary }: Both, root: string): Promise<number> {
  let files = 0
  for (const { id, path } of tree.snapshot.skills) {
    const { files: listed, file } = await tree.get(id)
    for (const one of [...listed.map(each => each.path), file]) {
      const bytes = await readFile(join(root, path, one))
      for (const library of [tree, packedLibrary])
        expect(bytes.equals((await library.read(id, one)).bytes), `${id} ${one}`).toBe(true)
      files++
    }
  }
  return files
}

async function sameSearches(
  { tree, packedLibrary }: Both,
  messages: readonly string[],
): Promise<void> {
  for (const message of messages)
    expect((await packedLibrary.search(message, { limit: 10 })).matches, message).toEqual(
      (await tree.search(message, { limit: 10 })).matches,
    )
}

it('[BY-5] [TD-8] packed and unpacked sample skills are the same, byte for byte', async () => {
  const both = await openBoth(samples)
  expect(both.tree.snapshot.skills.length).toBeGreaterThanOrEqual(7)
  await sameSkills(both)
  expect(await sameBytes(both, samples)).toBeGreaterThan(40)
  const messages = [
    '帮我调研AI市场',
    '帮我做一个PPT',
    'book a flight to Tokyo',
    '提取 PDF 中的表格',
    'diff two files',
  ]
  await sameSearches(both, messages)
})

describe.skipIf(!hasRealSkills)(`real skill folders${WITHOUT_REAL_SKILLS}`, () => {
  let root: string
  let folders: number
  let both: Both
  beforeAll(async () => {
    ;({ root, files: folders } = extractSkills('clawhub-folders', 10))
    both = await openBoth(root)
  })

  it('[BY-5] packed and unpacked libraries have the same skills', async () => {
    expect(both.tree.snapshot.skills.length).toBeGreaterThanOrEqual(folders * 0.97)
    await sameSkills(both)
  })

  it('[BY-5] searches give the same matches', async () => {
    const { skills } = both.tree.snapshot
    const messages = skills.slice(0, 100).map(({ description }) => description.slice(0, 80))
    await sameSearches(both, messages)
  })

  it('[AC-6] a refresh finds no change', async () => {
    const { snapshot } = both.tree
    expect(await both.tree.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect(both.tree.snapshot).toBe(snapshot)
  })
})

it('[BY-5] 16,384 skills open with two reads, and one more with three', async () => {
  const files: Record<string, string> = {}
  for (let at = 0; at < 16_385; at++)
    files[`s${at}/SKILL.md`] = `---\nname: skill-${at}\ndescription: Counts to ${at}.\n---\nOne.\n`
  const written = await packedFiles(memory(files), { pieces: false })
  let reads = 0
  const held = memory(written)
  const library = await openLibrary({
    name: 'many',
    read: async (path: string, options?: ReadOptions) => {
      reads++
      return held.read(path, options)
    },
  })
  const { segments } = JSON.parse(new TextDecoder().decode(written['skillshelf.json']))
  expect(segments.map((one: { skills: number }) => one.skills)).toEqual([16_384, 1])
  expect([reads, library.snapshot.skills.length]).toEqual([3, 16_385])
  expect((await library.search('skill-16384')).matches[0]?.name).toBe('skill-16384')
})
