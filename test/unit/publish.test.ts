import { describe, expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { archive } from '../../src/exports/sources.js'
import { type PackedOutput, type PackSummary, pack } from '../../src/library/store/pack/pack.js'
import type { PackOptions } from '../../src/library/store/pack/pack-options.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'

type Files = Record<string, Uint8Array<ArrayBuffer> | string>

const SITE = '.well-known/agent-skills/index.json'
const skill = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nHow to do it.\n`
const bytesOf = (content: Uint8Array<ArrayBuffer> | string): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

interface Published extends Omit<PackSummary, 'files'> {
  outputs: PackedOutput[]
  files: Record<string, Uint8Array<ArrayBuffer>>
  site: {
    $schema: string
    skills: { name: string; type: string; description: string; url: string; digest: string }[]
  }
  /** Codes of the diagnostics about publishing, by path. */
  said: Record<string, string[]>
}

/** Packs and publishes. */
async function publish(source: SkillSource, options: PackOptions = {}): Promise<Published> {
  const outputs: PackedOutput[] = []
  const packing = pack(source, { wellKnown: true, ...options })
  let next = await packing.next()
  for (; !next.done; next = await packing.next()) outputs.push(next.value)
  const files = Object.fromEntries(outputs.map(({ path, bytes }) => [path, bytes]))
  const json = (path: string) => JSON.parse(new TextDecoder().decode(files[path]))
  const said: Record<string, string[]> = {}
  for (const { code, path = '' } of next.value.diagnostics) {
    if (code.startsWith('published-')) said[path] = [...(said[path] ?? []), code]
  }
  return { ...next.value, outputs, files, site: json(SITE), said }
}

/** The files of a v0.2 entry, by its URL. */
async function artifactOf(
  { files, site }: Published,
  name: string,
): Promise<Record<string, Uint8Array>> {
  const entry = site.skills.find(one => one.name === name)
  if (!entry) throw new Error(`${name} is not published`)
  const path = new URL(entry.url, `https://example.com/${SITE}`).pathname.slice(1)
  const bytes = files[path] as Uint8Array<ArrayBuffer>
  expect(digestOf(bytes)).toBe(entry.digest)
  if (entry.type === 'skill-md') return { 'SKILL.md': bytes }
  const source = archive(bytes)
  const found: Record<string, Uint8Array> = {}
  for (const { path: inner } of (await source.list?.()) ?? []) {
    const file = await source.read(inner)
    if (typeof file === 'object') found[inner] = file.bytes
  }
  return found
}

const FILES: Files = {
  'slides/SKILL.md': skill('slides'),
  'slides/scripts/layout.py': 'print(1)\n',
  'slides/logo.png': Uint8Array.from({ length: 3_000 }, (_, index) => index % 251),
  'alone/SKILL.md': skill('alone'),
  'lower/skill.md': skill('lower').replaceAll('\n', '\r\n'),
  'lower/notes.txt': 'x',
  'off/SKILL.md': '---\nname: off\ndescription: Is off.\nenabled: false\n---\n',
  'off/secret.txt': 'x',
}

describe('well-known skills', () => {
  it('[BY-5] skills are published with wellKnown only', async () => {
    const paths: string[] = []
    for await (const { path } of pack(memory(FILES))) paths.push(path)
    const plain = /^(?:files\/[0-9a-f]{16}\.\w+|[0-9a-f]{16}\.seg|skillshelf\.json)$/
    expect(paths.filter(path => !plain.test(path))).toEqual([])
    const all = await publish(memory(FILES))
    expect(all.outputs.map(({ path }) => path)).toEqual(expect.arrayContaining(paths))
    expect(all.outputs.length).toBeGreaterThan(paths.length)
  })

  it('[BY-5] artifacts come before the index, and the catalog last', async () => {
    const { outputs } = await publish(memory(FILES))
    const order = outputs.map(({ part }) => ['hosting', 'index', 'catalog'].indexOf(part))
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(outputs.slice(-2).map(({ path }) => path)).toEqual([SITE, 'skillshelf.json'])
    expect(new Set(outputs.map(({ path }) => path)).size).toBe(outputs.length)
  })

  it('[BY-5] v0.2 has a file or an archive per skill, named by digest', async () => {
    const published = await publish(memory(FILES))
    const { site, files } = published
    expect(site.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(site.skills.map(({ name, type, description }) => [name, type, description])).toEqual([
      ['alone', 'skill-md', 'Does alone.'],
      ['lower', 'archive', 'Does lower.'],
      ['slides', 'archive', 'Does slides.'],
    ])
    for (const { url, digest, type } of site.skills) {
      expect(url).toMatch(
        type === 'archive' ? /^\.\.\/\.\.\/files\/[0-9a-f]{16}\.tgz$/ : /[0-9a-f]{16}\.md$/,
      )
      expect(url).toContain(shortDigest(digest))
    }
    expect(await artifactOf(published, 'alone')).toEqual({
      'SKILL.md': bytesOf(FILES['alone/SKILL.md'] as string),
    })
    expect(await artifactOf(published, 'slides')).toEqual({
      'SKILL.md': bytesOf(FILES['slides/SKILL.md'] as string),
      'logo.png': FILES['slides/logo.png'],
      'scripts/layout.py': bytesOf('print(1)\n'),
    })
    // Renamed to SKILL.md, with the same bytes.
    expect(await artifactOf(published, 'lower')).toEqual({
      'SKILL.md': bytesOf(FILES['lower/skill.md'] as string),
      'notes.txt': bytesOf('x'),
    })
    expect(files['.nojekyll']).toHaveLength(0)
  })

  it('[BY-5] names the skills that some clients cannot install, and every file is in its archive', async () => {
    const files = {
      ...FILES,
      'page/SKILL.md': skill('page'),
      'page/viewer.html': '<script>1</script>',
      'odd/SKILL.md': skill('odd'),
      'odd/图.md': 'x',
      'named/SKILL.md': skill('My name'),
      'bare/SKILL.md': 'Mends bicycles.',
    }
    const published = await publish(memory(files))
    expect(published.wellKnown).toEqual({ skills: 7, readable: 6 })
    expect(Object.keys(published.files).filter(path => path.startsWith('.well-known'))).toEqual([
      SITE,
    ])
    expect(Object.keys(await artifactOf(published, 'page'))).toEqual(['SKILL.md', 'viewer.html'])
    expect(Object.keys(await artifactOf(published, 'odd'))).toEqual(['SKILL.md', '图.md'])
    const messages = published.diagnostics
      .filter(({ code }) => code === 'published-name' || code === 'published-partly')
      .map(({ path, message }) => [path, message])
    expect(messages).toEqual([
      [
        'bare/SKILL.md',
        'Some clients cannot install it: it does not start with a frontmatter between two lines ---',
      ],
      ['named/SKILL.md', 'Published as my-name: its name breaks the specification'],
    ])
  })

  it('[BY-5] disabled skills are never published, not even inside other skills', async () => {
    const inner = {
      'slides/off/SKILL.md': FILES['off/SKILL.md'] as string,
      'slides/off/y.txt': 'y',
    }
    const published = await publish(memory({ ...FILES, ...inner }))
    expect(published.wellKnown).toEqual({ skills: 3, readable: 3 })
    expect(Object.keys(await artifactOf(published, 'slides'))).toEqual([
      'SKILL.md',
      'logo.png',
      'scripts/layout.py',
    ])
    expect(Object.keys(published.files).filter(path => path.includes('off'))).toEqual([])
  })

  it('[BY-5] a skill is published with the skills nested in its folder', async () => {
    const inner = { 'outer/in/inner/skill.md': skill('inner'), 'outer/in/inner/x.txt': 'x' }
    const outer = {
      'outer/SKILL.md': skill('outer'),
      ...inner,
      'outer-two/SKILL.md': skill('outer-two'),
    }
    const published = await publish(memory({ 'SKILL.md': skill('root'), 'a.txt': 'a', ...outer }))
    const names = async (name: string) => Object.keys(await artifactOf(published, name)).sort()
    expect(await names('inner')).toEqual(['SKILL.md', 'x.txt'])
    expect(await names('outer')).toEqual(['SKILL.md', 'in/inner/skill.md', 'in/inner/x.txt'])
    expect(await names('root')).toEqual(['SKILL.md', 'a.txt', ...Object.keys(outer)].sort())
    expect(published.site.skills.find(one => one.name === 'outer-two')?.type).toBe('skill-md')
  })

  it('[BY-5] published names are valid, unique and stable', async () => {
    const source = {
      // The folder with that name gets it, in any order.
      'copy-of-pdf/SKILL.md': skill('pdf'),
      'pdf/SKILL.md': `${skill('pdf')}\nForms.\n`,
      'office/pdf/SKILL.md': `${skill('pdf')}\nTables.\n`,
      'deep_research/SKILL.md': skill('deep_research'),
      'cafe/SKILL.md': skill('Café Menü'),
      'market/SKILL.md': skill('AI市场调研'),
      '市场/SKILL.md': skill('市场'),
      '工具/report-two/SKILL.md': skill('"日报"'),
      'long/SKILL.md': skill('x'.repeat(70)),
      'longer/SKILL.md': skill('x'.repeat(71)),
      'xx/SKILL.md': skill(`${'x'.repeat(64)}`),
      'taken/SKILL.md': skill('deep-research'),
    }
    const { site, said } = await publish(memory(source))
    const hex = digestOf('市场').slice(7, 15)
    // Of two skills, the one with that name keeps it.
    const names =
      'pdf copy-of-pdf office-pdf deep-research deep-research-2 cafe-menu market report-two long longer'
    expect(site.skills.map(({ name }) => name)).toEqual(
      [...names.split(' '), `skill-${hex}`, 'x'.repeat(64)].sort(),
    )
    expect(Object.keys(said)).toHaveLength(9)
    expect(said).toMatchObject({
      'copy-of-pdf/SKILL.md': ['published-name'],
      'market/SKILL.md': ['published-name'],
    })
    const again = await publish(memory(Object.fromEntries(Object.entries(source).reverse())))
    expect(again.site).toEqual(site)
  })

  it.each([
    ['no frontmatter', 'Mends bicycles.', 'it does not start with a frontmatter', 1],
    ['a blank line first', `\n${skill('odd')}`, 'it does not start with a frontmatter', 1],
    [
      'spaces after a fence',
      skill('odd').replace('---\n', '---  \n'),
      'it does not start with a frontmatter',
      1,
    ],
    ['an unquoted colon', skill('odd', 'Mends: bicycles'), 'its frontmatter is not plain YAML', 3],
    ['a key twice', skill('odd', 'a\ndescription: b'), 'its frontmatter is not plain YAML', 4],
    [
      'a nested key twice',
      skill('odd', 'a\nmetadata:\n  a: 1\n  a: 2'),
      'its frontmatter is not plain YAML',
      6,
    ],
    ['no name', skill('odd').replace(/name: .*\n/, ''), 'it has no name', undefined],
    ['an empty name', skill('odd').replace(/name: .*\n/, 'name:\n'), 'it has no name', undefined],
    ['another spelling', skill('odd').replace('name', 'Name'), 'it has no name', undefined],
    [
      'a name elsewhere',
      skill('odd').replace('name', 'metadata:\n  name'),
      'it has no name',
      undefined,
    ],
    [
      'no description',
      skill('odd').replace(/description: .*\n/, ''),
      'it has no description',
      undefined,
    ],
    ['a description that is a number', skill('odd', '7'), 'its description is not text', undefined],
  ])(
    '[BY-5] skills that some clients cannot install are published and reported: %s',
    async (_, text, why, line) => {
      const crlf = { 'fine/crlf/SKILL.md': skill('crlf').replaceAll('\n', '\r\n') }
      const source = memory({ 'odd/SKILL.md': text, 'fine/SKILL.md': skill('fine'), ...crlf })
      const { site, wellKnown, diagnostics } = await publish(source)
      expect(site.skills.map(({ name }) => name)).toEqual(['crlf', 'fine', 'odd'])
      expect(wellKnown).toEqual({ skills: 3, readable: 2 })
      const partly = {
        path: 'odd/SKILL.md',
        message: expect.stringContaining(why),
        hint: expect.any(String),
      }
      expect(diagnostics.filter(({ code }) => code === 'published-partly')).toEqual([
        expect.objectContaining({ ...partly, ...(line ? { line } : {}) }),
      ])
    },
  )

  it('[BY-5] a name that is a number is reported', async () => {
    const { said } = await publish(memory({ '7/SKILL.md': skill('7'), '8/SKILL.md': skill('"8"') }))
    expect(said).toEqual({ '7/SKILL.md': ['published-partly'] })
  })

  it('[BY-5] a name too long for tar makes a zip; a name too long for zip is not archived', async () => {
    const long = `${'n'.repeat(120)}.md`
    const files = Object.fromEntries(
      ['long', 'deep', 'both'].map(name => [`${name}/SKILL.md`, skill(name)]),
    )
    for (const path of [
      `long/${long}`,
      `deep/${'d'.repeat(90)}/${'e'.repeat(90)}.md`,
      `both/${long}`,
      'both/__proto__',
    ])
      files[path] = 'x'
    const published = await publish(memory(files))
    expect(published.site.skills.map(({ name, url }) => name + url.slice(-4))).toEqual([
      'deep.tgz',
      'long.zip',
    ])
    expect(Object.keys(await artifactOf(published, 'long'))).toEqual(['SKILL.md', long])
    expect(published.said).toEqual({ 'both/SKILL.md': ['published-partly'] })
    expect(published.wellKnown).toEqual({ skills: 2, readable: 2 })
  })

  it.each([
    [
      'between words',
      `${'word '.repeat(300)}end`,
      `${'word '.repeat(204)}wor`.replace(/ wor$/, '…'),
    ],
    ['between characters', '技'.repeat(1_100), `${'技'.repeat(1_023)}…`],
    ['not within a character', '𠀀'.repeat(600), `${'𠀀'.repeat(511)}…`],
    ['not at all if it fits', 'x'.repeat(1_024), 'x'.repeat(1_024)],
  ])('[BY-5] a long description is cut %s', async (_, description, cut) => {
    const { site, said } = await publish(memory({ 'a/SKILL.md': skill('a', description) }))
    expect(site.skills[0]?.description).toBe(cut)
    expect(cut.length).toBeLessThanOrEqual(1_024)
    expect(said).toEqual(cut === description ? {} : { 'a/SKILL.md': ['published-description'] })
  })

  it('[BY-5] an inferred description is published and reported', async () => {
    const { site, said } = await publish(
      memory({ 'bare/SKILL.md': '# A heading\n\nStands in for the description.\n' }),
    )
    expect(site.skills).toMatchObject([
      { name: 'bare', description: 'Stands in for the description.' },
    ])
    expect(said).toEqual({ 'bare/SKILL.md': ['published-partly', 'published-description'] })
  })

  it('[BY-5] a skill that clients may refuse as too large is reported', async () => {
    const files: Files = { 'many/SKILL.md': skill('many'), 'few/SKILL.md': skill('few') }
    for (let at = 0; at < 1_000; at++) files[`many/${at}.txt`] = ''
    for (let at = 0; at < 999; at++) files[`few/${at}.txt`] = ''
    expect((await publish(memory(files))).said).toEqual({ 'many/SKILL.md': ['published-large'] })
  })

  it('[BY-5] the published bytes do not depend on the order of the listing', async () => {
    const one = await publish(memory(FILES))
    const two = await publish(memory(Object.fromEntries(Object.entries(FILES).reverse())))
    expect(two.outputs).toEqual(one.outputs)
  })

  it('[BY-5] onProgress counts published skills', async () => {
    const reported: string[] = []
    await publish(memory(FILES), {
      onProgress: ({ phase, done, total }) => reported.push(`${phase} ${done}/${total}`),
    })
    expect(reported.filter(one => one.startsWith('write'))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map(at => `write ${at}/7`),
    )
  })

  it('[BY-5] published copies are not found as skills of the tree', async () => {
    const { files } = await publish(memory(FILES))
    const tree: Files = { ...FILES, 'other/.well-known/skills/x/SKILL.md': skill('x') }
    for (const [path, bytes] of Object.entries(files)) tree[`site/public/${path}`] = bytes
    const { site, diagnostics } = await publish(memory(tree))
    expect(site.skills.map(({ name }) => name)).toEqual(['alone', 'lower', 'slides', 'x'])
    expect(diagnostics.filter(({ path }) => path?.startsWith('site'))).toEqual([])
  })

  it('[BY-5] publishing stops when the signal aborts', async () => {
    const stopping = new AbortController()
    const packing = pack(memory(FILES), { wellKnown: true, signal: stopping.signal })
    const run = async (): Promise<void> => {
      for await (const { part } of packing) {
        if (part === 'segment') stopping.abort()
      }
    }
    await expect(run()).rejects.toMatchObject({ code: 'aborted' })
  })
})

it('[BY-5] _headers marks files as immutable or as revalidated', async () => {
  const { files } = await publish(memory(FILES))
  const segment = Object.keys(files).find(path => path.endsWith('.seg'))
  const text = new TextDecoder().decode(files['_headers'])
  const rules = new Map(
    text
      .replace(/^#.*\n/, '')
      .split(/\n(?=\/)/)
      .map(block => {
        const [path = '', ...headers] = block.trim().split('\n')
        return [path, headers.map(line => line.trim())]
      }),
  )
  const paths = [
    '/*',
    '/files/*',
    '/files/*.tgz',
    `/${segment}`,
    '/skillshelf.json',
    '/.well-known/*',
  ]
  expect([...rules.keys()]).toEqual(paths)
  expect(rules.get('/*')).toContain('Access-Control-Allow-Origin: *')
  for (const path of ['/files/*', `/${segment}`])
    expect(rules.get(path)).toContain('Cache-Control: public, max-age=31536000, immutable')
  for (const path of ['/skillshelf.json', '/.well-known/*'])
    expect(rules.get(path)).toContain('Cache-Control: no-cache')
  for (const path of ['/files/*', '/.well-known/*'])
    expect(rules.get(path)).toContain("Content-Security-Policy: sandbox; default-src 'none'")
  expect(rules.get('/*')).toContain('X-Content-Type-Options: nosniff')
  expect(rules.get('/files/*.tgz')).toEqual(['Content-Type: application/gzip'])
  expect(rules.get(`/${segment}`)).toContain('Content-Type: application/octet-stream')
})
