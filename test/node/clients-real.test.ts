import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { mapParallel } from '../../src/core/concurrency.js'
import { digestOf } from '../../src/core/digest.js'
import { type Diagnostic, openLibrary } from '../../src/exports/index.js'
import { archive } from '../../src/exports/sources.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'
import { cli } from './cli-world.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'
import { serving } from './serve-world.js'

type Files = ReadonlyMap<string, Uint8Array>

/** Files on disk by skill folder. The SKILL.md is called `SKILL.md`, whatever its spelling. */
async function onDisk(root: string): Promise<ReadonlyMap<string, Files>> {
  const skills = new Map<string, Map<string, Uint8Array>>()
  const listed = ((await directory(root).list?.()) ?? []).map(({ path }) => path)
  // The data has no nested skills.
  const found = listed
    .filter(path => /\/skill\.md$/i.test(path))
    .map(path => path.replace(/\/[^/]*$/, ''))
  for (const folder of found) skills.set(folder, new Map())
  await mapParallel(listed, 16, async path => {
    for (let folder = path; folder.includes('/'); ) {
      folder = folder.replace(/\/[^/]*$/, '')
      const inner = path.slice(folder.length + 1)
      const name = /^skill\.md$/i.test(inner) ? 'SKILL.md' : inner
      skills.get(folder)?.set(name, new Uint8Array(await readFile(join(root, path))))
    }
  })
  return skills
}

async function fetched(url: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url)
  expect(response.status, String(url)).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

async function json<T>(url: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await fetched(url)))
}

/** Expects the same files with the same bytes. */
function expectSameFiles(actual: Files, expected: Files, what: string): void {
  expect([...actual.keys()].sort(), what).toEqual([...expected.keys()].sort())
  for (const [path, bytes] of expected)
    expect(Buffer.from(bytes).equals(actual.get(path) as Uint8Array), `${what} ${path}`).toBe(true)
}

describe.skipIf(!hasRealSkills)(
  `real skill folders, packed and served${WITHOUT_REAL_SKILLS}`,
  () => {
    let root: string
    let skillsRoot: string
    let total: number
    let summary: Record<'found' | 'skills' | 'leftOut', number>
    let disk: ReadonlyMap<string, Files>
    /** Folders by the digest of their SKILL.md. Several folders may share one. */
    const byDigest = new Map<string, string[]>()

    beforeAll(async () => {
      root = temporaryFolder()
      ;({ root: skillsRoot, files: total } = extractSkills('clawhub-folders', 10))
      disk = await onDisk(skillsRoot)
      for (const [folder, files] of disk) {
        const digest = digestOf(files.get('SKILL.md') as Uint8Array)
        byDigest.set(digest, [...(byDigest.get(digest) ?? []), folder])
      }
      const packed = await cli(['pack', skillsRoot, '--out', 'out', '--json'], {
        cwd: root,
      })
      expect(packed).toMatchObject({ code: 0, err: '' })
      summary = packed.json().summary
    })

    it('are validated, and each that is left out is explained', async () => {
      const validated = await cli(['validate', skillsRoot, '--json'], { cwd: root })
      expect(validated.err).toBe('')
      const { summary: checked, diagnostics } = validated.json() as {
        summary: Record<'found' | 'skills' | 'leftOut' | 'own', number>
        diagnostics: Diagnostic[]
      }
      const { found, skills, leftOut, own } = checked
      const doubled = diagnostics.filter(({ code }) => code === 'two-skill-files').length
      expect(found + doubled).toBe(total)
      expect(found).toBe(skills + leftOut)
      const explained = diagnostics.filter(
        ({ code }) => code === 'skill-left-out' || code === 'skill-unreadable',
      )
      expect(new Set(explained.map(({ path }) => path)).size).toBe(leftOut)
      expect(skills / found).toBeGreaterThanOrEqual(0.97)
      // About an eighth of the folders have no frontmatter.
      expect(own / found).toBeGreaterThanOrEqual(0.8)
      expect(summary).toMatchObject({ found, skills, leftOut })

      const matched = await cli(
        ['match', 'write a report for the team', '--skills', 'out', '--json'],
        { cwd: root },
      )
      expect(matched).toMatchObject({ code: 0, err: '' })
      expect(matched.json().matches).toHaveLength(5)
    })

    /** Folder that the files came from. */
    const folderOf = (files: Files): string => {
      const folders = byDigest.get(digestOf(files.get('SKILL.md') as Uint8Array)) ?? []
      const fits = (folder: string) =>
        [...files].every(([path, bytes]) => disk.get(folder)?.get(path)?.length === bytes.length)
      return folders.find(fits) ?? folders[0] ?? ''
    }

    it('[BY-5] every file is served byte for byte through skillshelf.json', async () => {
      const { address } = await serving(['out'], root)
      await using library = await openLibrary(address)
      const skills = await library.list()
      expect(skills.length).toBeGreaterThanOrEqual(total * 0.97)
      await mapParallel(skills, 8, async ({ id, path }) => {
        const { file, files } = await library.get(id)
        const read = new Map<string, Uint8Array>()
        for (const name of [file, ...files.map(one => one.path)])
          read.set(name === file ? 'SKILL.md' : name, (await library.read(id, name)).bytes)
        expectSameFiles(read, disk.get(path) as Files, id)
      })
    })

    it('[BY-5] every file is served byte for byte through well-known v0.2, with the right digests', async () => {
      const { address } = await serving(['out'], root)
      const index = `${address}.well-known/agent-skills/index.json`
      interface Entry {
        name: string
        type: string
        description: string
        url: string
        digest: string
      }
      const { skills } = await json<{ skills: Entry[] }>(index)
      expect(skills.length).toBeGreaterThanOrEqual(total * 0.97)
      expect(new Set(skills.map(({ name }) => name)).size).toBe(skills.length)
      const folders = await mapParallel(
        skills,
        8,
        async ({ name, type, description, url, digest }) => {
          expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
          expect(name.length).toBeLessThanOrEqual(64)
          expect(description.trim()).not.toBe('')
          expect(description.length).toBeLessThanOrEqual(1_024)
          const bytes = await fetched(new URL(url, index))
          expect(digestOf(bytes)).toBe(digest)
          const files = type === 'archive' ? await unpacked(bytes) : new Map([['SKILL.md', bytes]])
          const folder = folderOf(files)
          expectSameFiles(files, disk.get(folder) as Files, name)
          return folder
        },
      )
      // Each folder is published once, except copies of the same SKILL.md.
      expect(new Set(folders).size).toBeGreaterThanOrEqual(
        skills.length - (disk.size - byDigest.size),
      )
    })
  },
)

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Files> {
  const source = archive(bytes)
  const files = new Map<string, Uint8Array>()
  for (const { path } of (await source.list?.()) ?? []) {
    const file = await source.read(path)
    if (typeof file === 'object') files.set(path, file.bytes)
  }
  return files
}
