import { describe, expect, it } from 'vitest'
import { sectionsOf } from '../../src/agent/session/sections.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { callTool, createSession, type SessionOptions } from '../../src/exports/session.js'
import { skill } from '../skill-file.js'

/** Instructions of about 12,000 tokens, in sections of about 3,000. */
const filler = (word: string): string => `${word} `.repeat(3_000).trim()
const GUIDE = [
  '# Sailing',
  'Read this first.',
  '## Rope work',
  filler('knot'),
  '### Splices',
  '```\n## not a heading\n```',
  '## Sails & masts',
  filler('sail'),
  '## At night',
  filler('lamp'),
].join('\n')
const FILES = {
  'sailing/SKILL.md': skill('sailing', 'Sails a boat', GUIDE),
  'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil water.\n## Twice\n## Again'),
}

async function start(options: SessionOptions = {}, files: Record<string, string> = FILES) {
  const library = await openLibrary(memory(files, { name: 'mine' }), { embedder: false })
  const session = createSession(library, options)
  const load = (input: object) => callTool(session, 'load_skill', { skill: 'sailing', ...input })
  return { session, load }
}

describe('long instructions', () => {
  it('[OE-2] are opened with their first section and an outline with sizes', async () => {
    const { session, load } = await start()
    const { text } = await load({})
    expect(text).toContain('# Sailing\nRead this first.\n## Rope work\nknot knot')
    expect(text).toContain('### Splices')
    expect(text).not.toContain('sail sail')
    const lines = /<more_sections [^>]*>\n([\s\S]*)\n<\/more_sections>/.exec(text)?.[1]?.split('\n')
    expect(lines).toHaveLength(2)
    expect(lines?.[0]).toMatch(/^## Sails &amp; masts \([23]\d\d\d tokens\)$/)
    expect(lines?.[1]).toMatch(/^## At night \(\d{4} tokens\)$/)
    expect(text).toMatch(/<\/skill_content>$/)
    const { instructions, total } = session.ledger()
    expect(instructions).toMatchObject({ tokens: session.open[0]?.tokens })
    expect(total).toBeLessThan(7_000)
    expect((await load({})).text).toContain('It is already open')
  })

  it('[OE-2] give a section by its heading, and all of them on request', async () => {
    const { load } = await start()
    await load({})
    for (const section of ['## Sails & masts', 'sails & MASTS', '2']) {
      const { text } = await load({ section })
      expect(text).toMatch(/^<skill_section skill="sailing">\n## Sails &amp; masts\nsail sail/)
      expect(text).not.toContain('lamp')
    }
    const whole = await load({ section: 'all' })
    for (const word of ['knot', 'sail', 'lamp']) expect(whole.text).toContain(`${word} ${word}`)
    const { isError, text } = await load({ section: 'Galley' })
    expect(isError).toBe(true)
    expect(text).toContain('the sections are: ## Rope work, ## Sails &amp; masts, ## At night')
  })

  it('[OE-2] are whole with `sections: false`, if they are short, and if no heading divides them', async () => {
    const whole = await start({ sections: false })
    const { text } = await whole.load({})
    expect(text).toContain('lamp lamp')
    expect(text).not.toContain('more_sections')
    const short = await start()
    expect((await short.load({ skill: 'tea' })).text).toContain('Boil water.\n## Twice\n## Again\n')
    const flat = {
      'sailing/SKILL.md': skill('sailing', 'Sails', `# One\n${filler('word '.repeat(2))}`),
    }
    expect((await (await start({}, flat)).load({})).text).not.toContain('more_sections')
  })

  it('[OE-2] only a library that has some tells the model of sections', async () => {
    const parameters = ({ session }: Awaited<ReturnType<typeof start>>) =>
      session.tools().find(({ name }) => name === 'load_skill')?.inputSchema.properties
    const { 'tea/SKILL.md': tea } = FILES
    expect(parameters(await start())).toHaveProperty('section')
    expect(parameters(await start({ sections: false }))).not.toHaveProperty('section')
    expect(parameters(await start({}, { 'tea/SKILL.md': tea }))).not.toHaveProperty('section')
  })
})

it('[OE-2] a text is divided where its first section fits', () => {
  const text = '# A\nlong text\n## B\nb\n## C\nc\n# D\nd'
  const headings = (fits: (section: string) => boolean) =>
    sectionsOf(text, fits).map(({ heading, start, end }) => [heading, text.slice(start, end)])
  expect(headings(() => true)).toEqual([
    ['# A', '# A\nlong text\n## B\nb\n## C\nc\n'],
    ['# D', '# D\nd'],
  ])
  const fine = [
    ['## B', '# A\nlong text\n## B\nb\n'],
    ['## C', '## C\nc\n'],
    ['# D', '# D\nd'],
  ]
  expect(headings(section => section.length < 25)).toEqual(fine)
  expect(headings(() => false)[0]?.[0]).toBe('# A')
  expect(sectionsOf('# A\nb', () => true)).toEqual([])
})
