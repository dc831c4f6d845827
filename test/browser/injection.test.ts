import { marked } from 'marked'
import { describe, expect, it } from 'vitest'
import { isJunkName } from '../../src/core/content.js'
import { trySafePath } from '../../src/core/paths.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { callTool, createSession, escapeText } from '../../src/exports/session.js'
import { CORPUS } from './injection-corpus.js'

const OURS = new Set([
  ...'root available_skills matching_skills possible_skills skills skill name description score'.split(
    ' ',
  ),
  ...'skill_content skill_resources file more skill_file skill_open error'.split(' '),
])

/** Parses a text as XML. Throws if it is not well-formed. */
function parse(text: string): Element {
  const root = new DOMParser().parseFromString(
    `<root>${text}</root>`,
    'application/xml',
  ).documentElement
  const fault = root.querySelector('parsererror')
  if (fault || root.localName !== 'root')
    throw new Error(`not well-formed: ${fault?.textContent ?? root.localName}`)
  for (const element of root.querySelectorAll('*'))
    expect(OURS, element.localName).toContain(element.localName)
  return root
}
const count = (root: Element, name: string): number => root.getElementsByTagName(name).length
/** Escapes a text and reads it back. */
const shown = (text: string): string => parse(`<name>${escapeText(text)}</name>`).textContent ?? ''
const line = (text: string): string => shown(text.trim().replace(/\s+/g, ' '))
const yaml = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

async function withHostile(hostile: string) {
  const fields = `name: ${yaml(hostile)}\ndescription: ${yaml(`Reads invoices. ${hostile}`)}`
  const evil = { 'evil/SKILL.md': `---\n${fields}\n---\n${hostile}`, 'evil/notes.md': hostile }
  const good = { 'good/SKILL.md': '---\nname: good\ndescription: Waters plants\n---\nSlowly.' }
  const library = await openLibrary(memory({ ...evil, ...good }, { name: 'mine' }))
  return { library, session: createSession(library, { catalogTokens: 100_000 }) }
}

describe('[BY-9] the text of a skill stays inside its element', () => {
  it(`has ${CORPUS.length} hostile texts`, () => {
    expect(new Set(CORPUS).size).toBeGreaterThanOrEqual(60)
  })

  for (const [number, hostile] of CORPUS.entries())
    it(`in sections and results, ${number}: ${JSON.stringify(hostile.slice(0, 40))}`, async () => {
      const { library, session } = await withHostile(hostile)
      const evil = library.snapshot.skills.find(({ path }) => path === 'evil')
      if (!evil) throw new Error('the hostile skill is gone')

      const { system } = await session.prepare({ message: 'read the invoices' })
      const catalog = parse(system)
      expect([
        count(catalog, 'skill'),
        count(catalog, 'name'),
        count(catalog, 'description'),
      ]).toEqual([2, 2, 2])
      const [own] = [...catalog.getElementsByTagName('skill')]
      expect(own?.getElementsByTagName('name')[0]?.textContent).toBe(line(evil.name))
      expect(own?.getElementsByTagName('description')[0]?.textContent).toBe(line(evil.description))

      for (const catalogTokens of [60, 80, 100, 140]) {
        const small = createSession(library, { catalogTokens })
        expect(parse(small.dialect.catalog(small)).children).toHaveLength(1)
      }

      const tail = parse(
        (await session.prepare({ message: 'read the invoices' }, { threshold: 0 })).tail,
      )
      expect(count(tail, 'skill')).toBe(count(tail, 'name'))

      const found = await callTool(session, 'search_skills', { query: 'read the invoices' })
      expect(count(parse(found.text), 'skill')).toBe(1)

      const opened = parse((await callTool(session, 'load_skill', { skill: evil.id })).text)
      expect(opened.children).toHaveLength(1)
      expect(opened.children[0]?.localName).toBe('skill_content')
      expect(opened.children[0]?.getAttribute('name')).toBe(line(evil.name))
      expect(opened.children[0]?.children).toHaveLength(1)

      const read = parse(
        (await callTool(session, 'read_skill_file', { skill: evil.id, path: 'notes.md' })).text,
      )
      expect(read.children).toHaveLength(1)
      expect(read.children[0]?.children).toHaveLength(0)

      for (const input of [
        { skill: hostile },
        { skill: evil.id, path: hostile },
        { [hostile]: 1 },
      ]) {
        for (const tool of ['load_skill', 'read_skill_file', 'unload_skill']) {
          for (const element of parse((await callTool(session, tool, input)).text).children)
            expect(['error', 'skill_open', 'skill_content', 'skill_file']).toContain(
              element.localName,
            )
        }
      }

      const state = session.toJSON()
      const again = await callTool(createSession(library), 'load_skill', { skill: evil.id })
      session.observe([{ role: 'tool', content: again.text }])
      const { text } = session.rehydrate([{ role: 'user', content: hostile }])
      expect(parse(text).children.length).toBe(state.open.length)
      await library.close()
    })

  for (const [number, hostile] of CORPUS.entries())
    it(`in a catalog rendered as Markdown, ${number}: ${JSON.stringify(hostile.slice(0, 40))}`, async () => {
      const { library, session } = await withHostile(hostile)
      const html = await marked(session.dialect.catalog(session))
      const page = new DOMParser().parseFromString(html, 'text/html').body
      const elements = [...page.querySelectorAll('*')].map(({ localName }) => localName)
      const harmless = new Set([...OURS, 'p', 'strong', 'em', 'del', 'code', 'a'])
      expect([...new Set(elements)].filter(name => !harmless.has(name))).toEqual([])
      // A bare URL can become a link that shows its target.
      for (const link of page.querySelectorAll('a'))
        expect(link.getAttribute('href')).toBe(link.textContent)
      const attributes = [...page.querySelectorAll('*')].flatMap(element => [...element.attributes])
      expect(attributes.filter(({ name }) => name !== 'href')).toEqual([])
      expect(elements.filter(name => name === 'skill')).toHaveLength(2)
      await library.close()
    })

  it('in file names', async () => {
    const names = CORPUS.filter(
      text => trySafePath(text) === text && !text.includes('/') && !isJunkName(text),
    )
    expect(names.length).toBeGreaterThan(10)
    const files = Object.fromEntries(names.map(name => [`pdf/${name}`, 'text']))
    await using library = await openLibrary(
      memory({ ...files, 'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads\n---\nx' }),
    )
    const session = createSession(library)
    const opened = parse((await callTool(session, 'load_skill', { skill: 'pdf' })).text)
    expect(
      [...opened.getElementsByTagName('file')].map(({ textContent }) => textContent).sort(),
    ).toEqual(names.map(line).sort())
    for (const name of names) {
      const read = parse(
        (await callTool(session, 'read_skill_file', { skill: 'pdf', path: name })).text,
      )
      expect(read.children[0]?.getAttribute('path')).toBe(line(name))
      expect(read.textContent?.trim()).toBe('text')
    }
  })
})
