import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { decodeText } from '../../src/skill/decode.js'
import { parseSkill } from '../../src/skill/parse.js'
import { fixSkill } from '../../src/tools/cli/validate-fix.js'
import { generateSkillFile } from '../frontmatter-generator.js'
import { EVERYTHING } from '../samples.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

const FRONTMATTERS = EVERYTHING ? 5_000 : 400

/** Occurrences of each word, in lower case: a run of letters and digits. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function lostWords(before: string, after: string): string[] {
  const now = countWords(after)
  return [...countWords(before)]
    .filter(([word, count]) => (now.get(word) ?? 0) < count)
    .map(([word]) => word)
}

const commentsOf = (frontmatter: string): string[] =>
  frontmatter.match(/^[ \t]*#.*$/gm)?.map(line => line.trim()) ?? []
const sameName = (key: string): string => key.toLowerCase().replaceAll('_', '-')

/** What `--fix` loses in a file. `changed`: whether it changes the file at all. */
async function lossesOf(
  bytes: Uint8Array,
  folder: string,
): Promise<{ changed: boolean; losses: string[] }> {
  const fixed = await fixSkill(bytes, folder)
  if (!fixed) return { changed: false, losses: [] }
  const { before, after } = fixed
  const losses: string[] = []
  const [old, now] = [await parseSkill(bytes, { folder }), await parseSkill(after, { folder })]
  // A fence that is removed may name the language of the file.
  const fences = /^(?:```|~~~|---)[ \t]*(markdown|md|ya?ml)\s*$/gm
  const words = lostWords(before.replace(fences, '---'), after)
  if (words.length > 0) losses.push(`words: ${words.join(' ')}`)
  const isUniform = !/(?<!\r)\n|\r(?!\n)/.test(before)
  if ((isUniform ? old.body.replaceAll('\r\n', '\n') : old.body) !== now.body)
    losses.push('instructions')
  const fields = (skill: typeof old): unknown =>
    Object.entries(skill.fields).map(([key, value]) => [sameName(key), value])
  if (!isDeepStrictEqual(fields(now), fields(old))) losses.push('fields')
  for (const [field, value] of Object.entries(old.metadata)) {
    if (!isDeepStrictEqual({ ...now.metadata }[field], value)) losses.push(`metadata.${field}`)
  }
  for (const comment of commentsOf(old.frontmatter)) {
    if (!after.includes(comment)) losses.push(`comment ${comment}`)
  }
  if (await fixSkill(new TextEncoder().encode(after), folder))
    losses.push('a second run changes it')
  return { changed: true, losses }
}

describe('[OS-7] skillshelf validate --fix loses nothing', () => {
  it(`in ${FRONTMATTERS.toLocaleString('en')} generated files: words, fields, comments, instructions, and a second run changes nothing`, async () => {
    let changes = 0
    const wrong: unknown[] = []
    for (let number = 0; number < FRONTMATTERS; number++) {
      const bytes = generateSkillFile(number)
      const { changed, losses } = await lossesOf(bytes, 'tea')
      if (changed) changes++
      if (losses.length > 0) wrong.push({ number, losses, before: decodeText(bytes).text })
    }
    expect(wrong).toEqual([])
    expect(changes).toBeGreaterThan(FRONTMATTERS / 10)
  })

  it.skipIf(!hasRealSkills)(`in every SKILL.md of a registry${WITHOUT_REAL_SKILLS}`, async () => {
    const { root } = extractSkills('clawhub-skillmd', 40)
    let changes = 0
    const wrong: unknown[] = []
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!statSync(join(root, path)).isFile()) continue
      const { changed, losses } = await lossesOf(
        readFileSync(join(root, path)),
        basename(dirname(path)),
      )
      if (changed) changes++
      if (losses.length > 0) wrong.push({ path, losses })
    }
    expect(wrong).toEqual([])
    expect(changes).toBeGreaterThan(EVERYTHING ? 40 : 10)
  })
})
