import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { readModelFile } from '../../src/embed/format.js'
import { openStaticModel, type StaticModel } from '../../src/embed/static-model.js'
import { openVocabulary } from '../../src/embed/vocabulary.js'

const folder = new URL('../../model/', import.meta.url)
const names = ['latin-128', 'latin-256', 'han-128', 'han-256'] as const
const [latin, latinRest, han, hanRest] = names.map(
  name => new Uint8Array(readFileSync(new URL(`${name}.bin`, folder))),
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const card = readFileSync(new URL('CARD.md', folder), 'utf8')
const variants: Record<string, StaticModel> = {
  whole: openStaticModel({ latin, latinRest, han, hanRest }),
  'first 128 dimensions': openStaticModel({ latin, han }),
}

function cosine(model: StaticModel, a: string, b: string): number {
  const [x, y] = [model.vectorOf(a), model.vectorOf(b)]
  return x.reduce((sum, value, at) => sum + value * (y[at] as number), 0)
}

describe('the bundled model', () => {
  it('matches its card', () => {
    for (const [at, bytes] of [latin, latinRest, han, hanRest].entries()) {
      const row = card.split('\n').find(line => line.includes(`\`${names[at]}.bin\``))
      expect(row, names[at]).toContain(digestOf(bytes).slice(7))
      expect(row, names[at]).toContain(` ${bytes.length} `)
    }
  })

  it('stays within 5.5 MB, and 1.2 MB for English', () => {
    expect(latin.length).toBeLessThanOrEqual(1_200_000)
    expect(latin.length + latinRest.length + han.length + hanRest.length).toBeLessThanOrEqual(5_500_000)
  })

  for (const [name, model] of Object.entries(variants)) {
    it(`ranks related texts above unrelated ones: ${name}`, () => {
      const nearer = [
        ['make slides for my talk', 'create a presentation', 'query a database'],
        ['cut a clip', 'edit video', 'parse csv files'],
        ['帮我调研', 'research', 'recipe'],
        ['做一个幻灯片', 'presentation slides', 'database migration'],
        ['数据库', 'database sql', 'cooking recipe'],
        ['写一封邮件', 'email', 'docker container'],
      ] as const
      for (const [text, near, far] of nearer)
        expect(cosine(model, text, near), `${text}: ${near}, ${far}`).toBeGreaterThan(cosine(model, text, far))
    })
  }

  it('counts more documents for common words than for rare ones', () => {
    const documentsOf = (bytes: Uint8Array, term: string): number => {
      const { head, vocabulary, counts } = readModelFile(bytes)
      const { terms, blocks } = vocabulary as { terms: Uint8Array; blocks: Uint32Array }
      return counts?.[openVocabulary(terms, blocks, head.rows).find(term)] ?? Number.NaN
    }
    expect(documentsOf(latin, 'the')).toBeGreaterThan(documentsOf(latin, 'invoice'))
    expect(documentsOf(han, '的')).toBeGreaterThan(documentsOf(han, '菜'))
  })
})
