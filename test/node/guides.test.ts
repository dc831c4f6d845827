import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** What holds for the guides as texts. Their code is tried by readme.test.ts and agents-doc.test.ts, their commands by doc-commands.test.ts. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const guides = readdirSync(join(root, 'docs'))
  .filter(file => file.endsWith('.md'))
  .map(file => `docs/${file}`)

const MAX_WORDS = 25_000
/** Tables that commands write. */
const GENERATED = /<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g

it('[CARD-5] the guides have 25,000 words at most, without the tables that commands write', () => {
  const words = guides.map(guide => {
    const text = textOf(guide).replaceAll(GENERATED, '')
    return text.split(/\s+/).filter(Boolean).length
  })
  expect(words.length).toBeGreaterThan(20)
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_WORDS)
})

it('[CARD-5] Measured opens with one paragraph and one picture', () => {
  const [first = ''] = textOf('docs/measured.md').split('\n## ')
  const [title, paragraph, picture, ...more] = first.trim().split('\n\n')
  expect(title).toBe('# Measured')
  expect(paragraph).toMatch(/^\w/)
  expect(picture).toMatch(/^!\[.+\]\(.+\.svg\)$/)
  expect(more).toEqual([])
})

/** A row of the table of savings, for 100 skills: its tokens. */
function tokensOf(prompt: string): string {
  const [, tokens] =
    new RegExp(`^\\| 100 \\| ${prompt} \\| ([\\d,]+) \\|`, 'm').exec(textOf('docs/measured.md')) ??
    []
  if (tokens === undefined) throw new Error(`docs/measured.md has no row ${prompt}`)
  return tokens
}

it.each([
  'README.md',
  'docs/why.md',
  'docs/concepts.md',
  'docs/zh/concepts.md',
  'docs/measured.md',
])('[TD-12] %s gives the tokens of a turn beside both alternatives', page => {
  const text = textOf(page).replaceAll(GENERATED, '')
  const figures = [
    'skillshelf, one skill open',
    'names and descriptions, one skill open',
    'everything inlined',
  ].map(tokensOf)
  expect(figures.filter(figure => !text.includes(figure))).toEqual([])
})
