import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { DIGESTS } from '../../src/search/model/bundled/digests.js'
import { readModelFile } from '../../src/search/model/format.js'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import { openStaticModel } from '../../src/search/model/static-model.js'

const folder = new URL('../../model/', import.meta.url)
const files = Object.fromEntries(
  PARTS.map(part => [part, new Uint8Array(readFileSync(new URL(`${part}.bin`, folder)))]),
) as Record<Part, Uint8Array>
const card = readFileSync(new URL('CARD.md', folder), 'utf8')
const model = openStaticModel(files)

function cosine(a: string, b: string): number {
  const [x, y] = [model.vectorOf(a), model.vectorOf(b)]
  return x.reduce((sum, value, at) => sum + value * (y[at] as number), 0)
}

describe('the bundled model', () => {
  it('matches its card', () => {
    for (const part of PARTS) {
      const bytes = files[part]
      const row = card.split('\n').find(line => line.includes(`\`${part}.bin\``))
      expect(row, part).toContain(digestOf(bytes).slice(7))
      expect(DIGESTS[part]).toBe(digestOf(bytes))
      expect(row, part).toContain(` ${bytes.length} `)
    }
  })

  it('stays within 7 MB, and 1.2 MB for English', () => {
    expect(files.latin.length).toBeLessThanOrEqual(1_200_000)
    expect(PARTS.reduce((sum, part) => sum + files[part].length, 0)).toBeLessThanOrEqual(7_000_000)
  })

  it('ranks related texts above unrelated ones', () => {
    const nearer = [
      ['make slides for my talk', 'create a presentation', 'query a database'],
      ['cut a clip', 'edit video', 'parse csv files'],
      ['帮我调研', 'research', 'recipe'],
      ['做一个幻灯片', 'presentation slides', 'database migration'],
      ['数据库', 'database sql', 'cooking recipe'],
      ['写一封邮件', 'email', 'docker container'],
      ['メールを書いて', 'email', 'docker container'],
      ['데이터베이스', 'database sql', 'cooking recipe'],
      ['ich möchte eine E-Mail an meine Kollegen schreiben', 'email', 'docker container'],
      ['quiero una receta para la cena', 'cooking recipe', 'database sql'],
      ['je cherche une recette pour le dîner', 'cooking recipe', 'database sql'],
      ['preciso fazer uma apresentação para amanhã', 'presentation slides', 'database migration'],
      ['сделай презентацию', 'presentation slides', 'database migration'],
    ] as const
    for (const [text, near, far] of nearer)
      expect(cosine(text, near), `${text}: ${near}, ${far}`).toBeGreaterThan(cosine(text, far))
  })

  it('counts more documents for common words than for rare ones', () => {
    const documentsOf = (bytes: Uint8Array, term: string): number => {
      const { vocabulary, counts } = readModelFile(bytes)
      return counts[vocabulary.find(term)] ?? Number.NaN
    }
    expect(documentsOf(files.latin, 'the')).toBeGreaterThan(documentsOf(files.latin, 'invoice'))
    expect(documentsOf(files.han, '的')).toBeGreaterThan(documentsOf(files.han, '菜'))
  })
})
