import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { BUDGETS } from '../../src/agent/session/options.js'
import { estimateTokens } from '../../src/core/tokens.js'
import type { DiagnosticCode } from '../../src/skill/diagnostics.js'
import { parseSkill } from '../../src/skill/parse.js'
import type { ParsedSkill } from '../../src/skill/skill.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

/** Codes that explain why a name or description cannot be inferred. */
const REASONS: readonly DiagnosticCode[] = [
  'empty-file',
  'no-frontmatter',
  'frontmatter-unclosed',
  'yaml-error',
  'yaml-not-a-map',
  'field-type',
  'empty-body',
]

describe.skipIf(!hasRealSkills)(`every SKILL.md of a registry${WITHOUT_REAL_SKILLS}`, () => {
  const all: { path: string; bytes: Uint8Array; skill: ParsedSkill }[] = []
  const codesOf = (skill: ParsedSkill): DiagnosticCode[] => skill.diagnostics.map(one => one.code)
  const share = (has: (skill: ParsedSkill) => boolean): number =>
    all.filter(one => has(one.skill)).length / all.length

  beforeAll(async () => {
    // All of them take a minute, and `npm run bench:source` opens those.
    const { root, files } = extractSkills('clawhub-skillmd', 10)
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!statSync(join(root, path)).isFile()) continue
      const bytes = readFileSync(join(root, path))
      all.push({ path, bytes, skill: await parseSkill(bytes, { folder: dirname(path) }) })
    }
    expect(all.length).toBeGreaterThanOrEqual(files)
    expect(files).toBeGreaterThanOrEqual(1_028)
  })

  it('[OE-2] 99.9% are smaller than the default skill budget', () => {
    const costs = all.map(({ skill }) => estimateTokens(skill.body.trim()))
    expect(costs.filter(cost => cost < BUDGETS.skill).length / all.length).toBeGreaterThanOrEqual(
      0.999,
    )
  })

  it('[AC-5] [BY-9] all parse; 91% have a description of their own, 99% a given or inferred one', () => {
    const isWhole = ({ metadata }: ParsedSkill) =>
      metadata.name !== '' && metadata.description !== ''
    const isOwn = (skill: ParsedSkill) =>
      isWhole(skill) && !skill.metadata.inferred?.includes('description')
    expect(share(isOwn)).toBeGreaterThanOrEqual(0.91)
    expect(share(isWhole)).toBeGreaterThanOrEqual(0.99)
    expect(share(({ metadata }) => !metadata.inferred?.includes('name'))).toBeGreaterThanOrEqual(
      0.88,
    )
  })

  it('[AC-5] skills without a name or description are reported with a reason', () => {
    const left = all.filter(
      ({ skill }) => skill.metadata.name === '' || skill.metadata.description === '',
    )
    expect(left.length).toBeGreaterThan(0)
    for (const { path, skill } of all) {
      const codes = codesOf(skill)
      expect.soft(codes.includes('name-missing'), path).toBe(skill.metadata.name === '')
      expect
        .soft(codes.includes('description-missing'), path)
        .toBe(skill.metadata.description === '')
    }
    const unexplained = left.filter(
      ({ skill }) => !REASONS.some(code => codesOf(skill).includes(code)),
    )
    expect(unexplained.map(({ path }) => path)).toEqual([])
  })

  it('[OS-9] without inference only the inferred fields are missing', async () => {
    for (const { path, bytes, skill } of all) {
      const { inferred } = skill.metadata
      if (!inferred) continue
      const bare = await parseSkill(bytes, { folder: dirname(path), infer: false })
      expect
        .soft(codesOf(bare), path)
        .toEqual(expect.arrayContaining(inferred.map(key => `${key}-missing`)))
      for (const key of ['name', 'description'] as const)
        expect
          .soft(bare.metadata[key], path)
          .toBe(inferred.includes(key) ? '' : skill.metadata[key])
    }
  })

  it('[AC-5] [BY-9] frontmatter and body keep every letter, and reported lines exist', () => {
    const letters = (text: string): number => text.replace(/[^\p{L}\p{N}]/gu, '').length
    const decoder = new TextDecoder()
    for (const { path, bytes, skill } of all) {
      const text = decoder.decode(bytes)
      // The word after an opening code fence is all that may go.
      const allowed = codesOf(skill).includes('frontmatter-in-code-fence') ? 'markdown'.length : 0
      expect
        .soft(letters(text) - letters(skill.frontmatter) - letters(skill.body), path)
        .toBeLessThanOrEqual(allowed)
      const lines = text.split('\n').length
      for (const one of skill.diagnostics)
        expect.soft(one.line ?? 1, `${path} ${one.code}`).toBeLessThanOrEqual(lines)
    }
  })
})
