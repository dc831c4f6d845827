import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../src/exports/index.js'
import { cli } from './cli-world.js'

/** A copy of the ClawHub registry beside the repository: 400 folders and the first 1,000 of its SKILL.md files. The tests are skipped without it. */
const data = fileURLToPath(new URL('../../../shared/data', import.meta.url))
const SETS = [
  // 52 of the 400 folders have no frontmatter.
  { set: 'clawhub-folders', files: 400, own: 0.85 },
  { set: 'clawhub-skillmd', files: 1_000, own: 0.88 },
]
const hasData = SETS.every(({ set }) => existsSync(join(data, `${set}.tar.xz`)))

describe.skipIf(!hasData)(`real skills${hasData ? '' : ' (skipped: needs ../shared/data)'}`, () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'skillshelf-real-'))
    for (const { set, files } of SETS) {
      const archive = join(data, `${set}.tar.xz`)
      const { stdout } = await promisify(execFile)('tar', ['-tJf', archive], { maxBuffer: 1e8 })
      const all = stdout.split('\n').filter(path => path !== '' && !path.endsWith('/'))
      await mkdir(join(folder, set))
      await writeFile(join(folder, 'wanted'), (set.endsWith('skillmd') ? all.slice(0, files) : all).join('\n'))
      await promisify(execFile)('tar', ['-xJf', archive, '-C', join(folder, set), '-T', join(folder, 'wanted')])
    }
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(SETS)(
    'validates, packs and matches $set',
    async ({ set, files, own: atLeast }) => {
      const cwd = folder
      const validated = await cli(['validate', set, '--json'], { cwd })
      expect(validated.err).toBe('')
      const { summary, diagnostics } = validated.json() as {
        summary: Record<'found' | 'skills' | 'leftOut' | 'own', number>
        diagnostics: Diagnostic[]
      }
      const { found, skills, leftOut, own } = summary
      const doubled = diagnostics.filter(({ code }) => code === 'two-skill-files').length
      expect(found + doubled).toBe(files)
      expect(found).toBe(skills + leftOut)
      const explained = diagnostics.filter(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable')
      expect(new Set(explained.map(({ path }) => path)).size).toBe(leftOut)
      expect(skills / found).toBeGreaterThanOrEqual(0.99)
      expect(own / found).toBeGreaterThanOrEqual(atLeast)

      const packed = await cli(['pack', set, '--out', `${set}-packed`, '--json'], { cwd })
      expect(packed).toMatchObject({ code: 0, err: '' })
      expect(packed.json().summary).toMatchObject({ found, skills, leftOut })
      const catalog = JSON.parse(await readFile(join(cwd, `${set}-packed`, 'skillshelf.json'), 'utf8'))
      expect(catalog.skills).toHaveLength(skills)

      const matched = await cli(['match', 'make slides about our launch', '--skills', `${set}-packed`, '--json'], {
        cwd,
      })
      expect(matched).toMatchObject({ code: 0, err: '' })
      expect(matched.json().matches).toHaveLength(5)
      expect(matched.json().matches[0].reason).toContain('slides')
    },
    300_000,
  )
})
