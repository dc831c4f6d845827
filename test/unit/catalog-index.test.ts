import { describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { readCatalog } from '../../src/library/catalog/packed-catalog.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { packedFiles } from '../packed-files.js'

const skill = (fields: string, body = 'How to do it.'): string => `---\n${fields}\n---\n\n${body}\n`
const FILES = {
  'slides/SKILL.md': skill(
    'name: slides\ndisplay_name: "Slide \\"Maker\\""\ndescription: "Makes slides.\\nAnd \\\\ decks \\u0001 \\u2028 \u{1f600}."\ntags: [Office, 演示]',
  ),
  'work/report/skill.md': skill('name: report\ndescription: 写报告。\nuser-invocable: false'),
  'bare/SKILL.md': '# A heading\n\nA first paragraph stands in for the description.\n',
  '演示/SKILL.md': skill('name: 演示\ndescription: 外面的技能。\ndisable-model-invocation: true'),
  'a b/SKILL.md': skill('name: same\ndescription: One of two.'),
  'empty/SKILL.md': '',
}

const packed = (files: Record<string, string> = FILES) =>
  packedFiles(memory(files, { name: 'shelf' }))
const textOf = (files: Record<string, Uint8Array>): string =>
  new TextDecoder().decode(files[CATALOG_FILE])
const read = async (text: string) => {
  const bytes = new TextEncoder().encode(text)
  const { digest: _, entryOf, ...catalog } = await readCatalog(bytes, 'it')
  // One entry alone is the same as among all.
  expect(catalog.paths.map(entryOf).filter(Boolean)).toEqual(catalog.skills)
  expect(entryOf('no such path')).toBeUndefined()
  return { ...catalog }
}
/** Without its digest, a catalog can be edited. */
const undigested = (text: string): string =>
  text.replace(/^(\{"format":[^,]*,)"digest":[^,]*,/, '$1')
/** The catalog with the digest of its content. */
const signed = (text: string): string => {
  const [, format = '', content = ''] = /^(\{"format":[^,]*,)(.*)$/s.exec(undigested(text)) ?? []
  return `${format}"digest":"${digestOf(content)}",${content}`
}
/** The same catalog without an index, in another formatting. */
const rewritten = (text: string): string =>
  JSON.stringify({ ...JSON.parse(undigested(text)), index: undefined })

describe('a catalog with an index', () => {
  it('[BY-5] equals a catalog that is parsed as a whole', async () => {
    const text = textOf(await packed())
    expect(await read(text)).toEqual(await read(rewritten(text)))
    expect((await read(text)).skills).toHaveLength(5)
  })

  it('[BY-5] can be empty', async () => {
    const text = textOf(await packed({}))
    expect(await read(text)).toEqual(await read(rewritten(text)))
  })

  it('[BY-5] parses the entries of the matches alone', async () => {
    const files = await packed()
    const parsed = vi.spyOn(JSON, 'parse')
    const parsesOf = (words: string) =>
      parsed.mock.calls.filter(([text]) => text.includes(words)).length
    const parses = () => parsesOf('Makes slides')
    const otherParses = () => parsesOf('One of two')
    try {
      await using library = await openLibrary(memory(files, { name: 'shelf' }))
      const { matches, revision } = await library.match('make slides')
      expect([matches[0]?.id, revision]).toEqual(['shelf/slides', library.snapshot.revision])
      expect(matches[0]?.description).toMatch(/^Makes slides\./)
      expect([parses(), otherParses()]).toEqual([1, 0])
      expect(library.snapshot.skills).toHaveLength(5)
      expect([parses(), otherParses()]).toEqual([2, 1])
      expect(library.snapshot.skills).toBe(library.snapshot.skills)
      expect(Object.isFrozen(library.snapshot.skills) && Object.isFrozen(library.snapshot)).toBe(
        true,
      )
      expect((await library.get('slides')).instructions).toBe('How to do it.')
    } finally {
      parsed.mockRestore()
    }
  })

  it('[BY-5] has the skills of its entries, also below another source', async () => {
    const files = await packed()
    const other = memory(
      { 'slides/SKILL.md': skill('name: slides\ndescription: Another.') },
      { name: 'other' },
    )
    await using alone = await openLibrary(memory(files, { name: 'shelf' }))
    await using below = await openLibrary([other, memory(files, { name: 'shelf' })])
    const shown = below.snapshot.skills.filter(({ origin }) => origin === 'shelf')
    expect(shown).toEqual(alone.snapshot.skills.filter(({ name }) => name !== 'slides'))
    expect(below.snapshot.revision).not.toBe(alone.snapshot.revision)
    expect((await below.match('make slides and decks')).matches.map(({ id }) => id)).not.toContain(
      'shelf/slides',
    )
  })
})

it.each<[string, (text: string) => string]>([
  ['a skill twice', text => text.replaceAll('bare', 'slides')],
  ['a path that leaves the library', text => text.replaceAll('"bare"', '"../bare"')],
  ['fewer names than paths', text => text.replace(/"names":\["[^"]*",/, '"names":[')],
  ['names that are no strings', text => text.replace(/"names":\["[^"]*"/, '"names":[1')],
  ['another layout', text => JSON.stringify(JSON.parse(text))],
])('[BY-9] a catalog with %s is parsed as a whole', async (_, edit) => {
  const before = textOf(await packed())
  const text = edit(before)
  expect(text).not.toBe(before)
  expect(await read(signed(text))).toEqual(await read(rewritten(text)))
})

it.each<[string, (text: string) => string]>([
  [
    'an invalid digest',
    text => text.replace('"path":"bare","name":"bare"', '"path":"bare","digest":1'),
  ],
  ['another path than the index', text => text.replace('{"path":"bare"', '{"path":"slides"')],
  [
    'another name than the index',
    text => text.replace(/(\{"path":"bare","name":)"[^"]*"/, '$1"other"'),
  ],
  [
    'the flag of a disabled skill',
    text => text.replace('{"path":"bare"', '{"enabled":false,"path":"bare"'),
  ],
  ['invalid JSON', text => text.replace('{"path":"bare"', '{path:"bare"')],
])('[BY-9] a skill whose entry has %s is left out with a diagnostic', async (_, edit) => {
  const files = await packed()
  const before = textOf(files)
  const text = edit(before)
  expect(text).not.toBe(before)
  await using library = await openLibrary(
    memory({ ...files, [CATALOG_FILE]: new TextEncoder().encode(signed(text)) }, { name: 'shelf' }),
  )
  expect(library.snapshot.skills.map(({ path }) => path)).toEqual([
    'a b',
    'slides',
    'work/report',
    '演示',
  ])
  expect(library.snapshot.diagnostics).toContainEqual({
    code: 'skill-left-out',
    severity: 'error',
    message: 'Skill 2 of skillshelf.json of shelf was left out: its entry is not valid',
    path: 'skillshelf.json of shelf',
    hint: 'pack the skills again',
  })
  await expect(library.get('shelf/bare')).rejects.toMatchObject({ code: 'skill-not-found' })
})

it.each<[string, (text: string) => string]>([
  ['a trailing comma', text => text.replace('\n]}\n', ',\n\n]}\n')],
  ['a missing end', text => text.slice(0, -3)],
  ['trailing text', text => `${text}x`],
])('[BY-9] a catalog with %s is rejected', async (_, edit) => {
  const text = edit(undigested(textOf(await packed())))
  await expect(read(text)).rejects.toThrow(/is not valid JSON/)
})

it('[BY-9] a second list of skills in the head is ignored', async () => {
  const text = undigested(textOf(await packed())).replace('{"format"', '{"skills":[],"format"')
  expect(await read(text)).toEqual(await read(rewritten(text)))
})
