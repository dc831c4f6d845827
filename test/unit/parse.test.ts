import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import type { DiagnosticCode } from '../../src/skill/diagnostics.js'
import { type ParseOptions, parseSkill } from '../../src/skill/parse.js'
import { EVERYTHING } from '../samples.js'

const FIELDS = 'name: tea-timer\ndescription: Times a pot of tea.'
const SKILL = `---\n${FIELDS}\n---\n# Tea\n\nBoil water.\n`

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const wide = (text: string, littleEndian: boolean): Uint8Array => {
  const view = new DataView(new ArrayBuffer(2 * text.length))
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), littleEndian)
  return new Uint8Array(view.buffer)
}
const codesOf = async (
  source: Uint8Array | string,
  options?: ParseOptions,
): Promise<DiagnosticCode[]> => (await parseSkill(source, options)).diagnostics.map(one => one.code)
/** Diagnostics as `code@line`. */
const found = async (source: Uint8Array | string, options?: ParseOptions): Promise<string[]> =>
  (await parseSkill(source, options)).diagnostics.map(one => `${one.code}@${one.line ?? '-'}`)

describe('a valid file', () => {
  it('[TD-7] is split into frontmatter and body without diagnostics', async () => {
    const { metadata, fields, frontmatter, body, diagnostics } = await parseSkill(SKILL, {
      folder: 'drinks/tea-timer',
    })
    expect(metadata).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(fields).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(frontmatter).toBe(FIELDS)
    expect(body).toBe('# Tea\n\nBoil water.\n')
    expect(diagnostics).toEqual([])
  })

  it('reads bytes and text the same way', async () => {
    expect(await parseSkill(bytes(SKILL))).toEqual(await parseSkill(SKILL))
  })
})

describe('bytes', () => {
  it.each<[string, Uint8Array, string[]]>([
    ['a byte order mark', bytes(`\uFEFF${SKILL}`), ['bom@1']],
    ['UTF-16, little endian', wide(`\uFEFF${SKILL}`, true), ['utf16@1']],
    ['UTF-16, big endian', wide(`\uFEFF${SKILL}`, false), ['utf16@1']],
    ['UTF-16 without a mark', wide(SKILL, true), ['nul-bytes@1']],
    ['NUL bytes', bytes(SKILL.replace('Tea', '\0Te\0a')), ['nul-bytes@5']],
  ])('[AC-5] %s: is ignored and reported', async (_, source, expected) => {
    const skill = await parseSkill(source)
    expect(skill.metadata).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(skill.body).toBe('# Tea\n\nBoil water.\n')
    expect(await found(source)).toEqual(expected)
  })

  it('[AC-5] CRLF stays in the body, but not in values', async () => {
    const source = SKILL.replaceAll('\n', '\r\n')
    const skill = await parseSkill(source)
    expect(skill.metadata).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(skill.body).toBe('# Tea\r\n\r\nBoil water.\r\n')
    expect(await found(source)).toEqual(['crlf@-'])
  })

  it('[AC-5] bytes that are not UTF-8 become U+FFFD and are reported with their line', async () => {
    const source = bytes(SKILL.replace('Boil', '%oil'))
    source[source.indexOf(0x25)] = 0xff
    const { metadata, body, diagnostics } = await parseSkill(source)
    expect(metadata.name).toBe('tea-timer')
    expect(body).toBe('# Tea\n\n\uFFFDoil water.\n')
    expect(diagnostics).toMatchObject([
      { code: 'not-utf8', line: 7, hint: 'save the file as UTF-8' },
    ])
  })

  it.each([
    ['no bytes', ''],
    ['white space', ' \n\t\r\n'],
    ['only a byte order mark', '\uFEFF'],
  ])('[AC-5] an empty file (%s) is reported', async (_, text) => {
    const skill = await parseSkill(text, { infer: false })
    expect(skill.metadata).toEqual({ name: '', description: '' })
    const codes = await codesOf(text, { infer: false })
    expect(codes).toEqual(
      expect.arrayContaining(['empty-file', 'name-missing', 'description-missing']),
    )
    expect(codes).not.toContain('no-frontmatter')
  })
})

describe('fences', () => {
  const BODY = '# Tea\n\nBoil water.\n'
  const MORE = `${BODY}\n---\n\nPour: slowly.\n`
  it.each<[string, source: string, expected: string, body?: string]>([
    ['blanks after a fence', `---  \n${FIELDS}\n---\t\n${BODY}`, 'fence-trailing-blanks@1'],
    ['blanks after the closing fence', `---\n${FIELDS}\n--- \n${BODY}`, 'fence-trailing-blanks@4'],
    ['long fences', `-----\n${FIELDS}\n-----\n${BODY}`, 'fence-trailing-blanks@1'],
    ['blank lines first', `\n\n${SKILL}`, ''],
    ['text first', `Some words.\n${SKILL}`, 'text-before-frontmatter@1', `Some words.\n${BODY}`],
    [
      'a heading first',
      `\n# Tea timer\n\n${SKILL}`,
      'text-before-frontmatter@2',
      `\n# Tea timer\n\n${BODY}`,
    ],
    [
      'a comment first',
      `<!-- by me -->\n${SKILL}`,
      'text-before-frontmatter@1',
      `<!-- by me -->\n${BODY}`,
    ],
    [
      'YAML in a code fence',
      `\`\`\`yaml\n${FIELDS}\n\`\`\`\n${BODY}`,
      'frontmatter-in-code-fence@1',
    ],
    ['YAML in tildes', `~~~\n${FIELDS}\n~~~\n${BODY}`, 'frontmatter-in-code-fence@1'],
    [
      'fences in a code fence',
      `\`\`\`yaml\n---\n${FIELDS}\n---\n\`\`\`\n${BODY}`,
      'frontmatter-in-code-fence@1',
    ],
    ['a file in a code fence', `\`\`\`markdown\n${SKILL}\`\`\`\n`, 'frontmatter-in-code-fence@1'],
    [
      'a file with code in a code fence',
      `\`\`\`markdown\n---\n${FIELDS}\n---\n\`\`\`sh\nls\n\`\`\`\nDone.\n\`\`\`\n`,
      'frontmatter-in-code-fence@1',
      '```sh\nls\n```\nDone.\n',
    ],
    ['no opening fence', `${FIELDS}\n---\n${BODY}`, 'frontmatter-unopened@1'],
    ['no fence at all', `${FIELDS}\n\n${BODY}`, 'frontmatter-unopened@1'],
    ['no closing fence', `---\n${FIELDS}\n\n${BODY}`, 'frontmatter-unclosed@1'],
    [
      'no closing fence, text at once',
      `---\n${FIELDS}\nBoil water.\n`,
      'frontmatter-unclosed@1',
      'Boil water.\n',
    ],
    [
      'no closing fence, a rule in the body',
      `---\n${FIELDS}\n\n${MORE}`,
      'frontmatter-unclosed@1',
      MORE,
    ],
    [
      'no closing fence, a rule after a paragraph',
      `---\n${FIELDS}\n\nBoil water.\n\n---\n\nPour: slowly.\n`,
      'frontmatter-unclosed@1',
      '\nBoil water.\n\n---\n\nPour: slowly.\n',
    ],
    [
      'an introduction, and no closing fence',
      `# Tea timer\n\nSome words.\n\n---\n${FIELDS}\n\n${BODY}`,
      'text-before-frontmatter@1 frontmatter-unclosed@5',
      `# Tea timer\n\nSome words.\n\n\n${BODY}`,
    ],
    ['a fence that names its language', `---yaml\n${FIELDS}\n---\n${BODY}`, 'frontmatter-fence@1'],
    ['plus signs', `+++\n${FIELDS}\n+++\n${BODY}`, 'frontmatter-fence@1'],
    ['stars', `***\n${FIELDS}\n***\n${BODY}`, 'frontmatter-fence@1'],
    ['stars and hyphens', `***\n${FIELDS}\n---\n${BODY}`, 'frontmatter-fence@1'],
    ['a comment in the frontmatter', `---\n# who\n${FIELDS}\n---\n${BODY}`, ''],
    ['a rule in the body', `---\n${FIELDS}\n---\n${MORE}`, '', MORE],
  ])('[AC-5] %s', async (_, source, expected, body = BODY) => {
    const skill = await parseSkill(source)
    expect(skill.metadata).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(skill.body.trim()).toBe(body.trim())
    expect((await found(source)).join(' ')).toBe(expected)
  })

  it('[AC-5] TOML is not read, and no part of the body', async () => {
    const source = `+++\nname = "tea-timer"\ndescription = "Times a pot of tea."\n+++\n${BODY}`
    const skill = await parseSkill(source, { folder: 'tea-timer' })
    expect(skill.body).toBe(BODY)
    expect(skill.metadata.description).toBe('Boil water.')
    expect(await codesOf(source)).toEqual(
      expect.arrayContaining(['frontmatter-fence', 'yaml-not-a-map']),
    )
  })

  it.each(['***\n\nName of the tea', '+++\n# Tea', '# Tea\n\n---\n\nName: green\n\nBoil water.'])(
    '[TD-7] a rule above text is no frontmatter: %j',
    async source => {
      expect(await parseSkill(source)).toMatchObject({ body: source, frontmatter: '' })
      expect(await codesOf(source)).toContain('no-frontmatter')
    },
  )

  it('[TD-7] without frontmatter the whole file is the body', async () => {
    const source = '# Tea\n\nBoil water.\n\n---\n\nPour.\n'
    const skill = await parseSkill(source, { folder: 'tea-timer' })
    expect(skill).toMatchObject({ body: source, frontmatter: '', fields: {} })
    expect(skill.metadata).toEqual({
      name: 'tea-timer',
      description: 'Boil water.',
      inferred: ['name', 'description'],
    })
    const diagnostics = (await found(source, { infer: false })).join(' ')
    expect(diagnostics).toBe('no-frontmatter@1 name-missing@1 description-missing@1 name-invalid@1')
  })

  it.each([
    ['frontmatter only', `---\n${FIELDS}\n---`],
    ['frontmatter and blanks', `---\n${FIELDS}\n---\n \n\n`],
    ['an open frontmatter only', `---\n${FIELDS}`],
  ])('[AC-5] an empty body is reported: %s', async (_, source) => {
    const skill = await parseSkill(source)
    expect(skill.metadata).toEqual({ name: 'tea-timer', description: 'Times a pot of tea.' })
    expect(skill.body.trim()).toBe('')
    expect(await codesOf(source)).toContain('empty-body')
  })

  it.each(['---', '---\n', '---\n---', '---\n\n---\n', '```', '```yaml\n---', '---\n# x'])(
    'has neither name nor description: %j',
    async source => {
      expect((await parseSkill(source, { infer: false })).metadata).toEqual({
        name: '',
        description: '',
      })
    },
  )
})

describe('invalid YAML', () => {
  const of = (yaml: string): string => `---\nname: t\n${yaml}\n---\nBoil water.\n`
  it.each<[string, yaml: string, fields: Record<string, unknown>, expected: string]>([
    [
      'an unquoted colon',
      'description: Use when: hot',
      { description: 'Use when: hot' },
      'yaml-unquoted-colon@3',
    ],
    [
      'a tab',
      'metadata:\n\tby: Mo\ndescription: d',
      { metadata: { by: 'Mo' }, description: 'd' },
      'yaml-tab@4',
    ],
    [
      'a key twice',
      'description: d\nname: b',
      { name: 'b', description: 'd' },
      'yaml-duplicate-key@4',
    ],
    [
      'a nested key twice',
      'metadata:\n  x: 1\n  x: 2',
      { metadata: { x: 2 } },
      'yaml-duplicate-key@5',
    ],
    [
      'an open bracket',
      'tags: [a, b\ndescription: d',
      { tags: '[a, b', description: 'd' },
      'yaml-error@3',
    ],
    [
      'an open bracket below',
      'tags:\n  - [a\ndescription: d',
      { tags: ['[a'], description: 'd' },
      'yaml-error@4',
    ],
    ['an open quote', 'description: "Tea', { description: '"Tea' }, 'yaml-error@3'],
    [
      'quotes in quotes',
      'description: "A "fine" cup"',
      { description: 'A "fine" cup' },
      'yaml-error@3',
    ],
    [
      'quoted words side by side',
      'triggers: "tea", "pot"',
      { triggers: '"tea", "pot"' },
      'yaml-error@3',
    ],
    ['a reserved mark', 'description: @tea `now`', { description: '@tea `now`' }, 'yaml-error@3'],
    [
      'a block',
      'description: |\n  one: two\n  three\nx: [',
      { description: 'one: two\nthree\n', x: '[' },
      'yaml-error@6',
    ],
    [
      'unknown alias',
      'description: *pot\nlicense: MIT',
      { description: '*pot', license: 'MIT' },
      'yaml-alias-limit@3',
    ],
    [
      'an @ in a nested list',
      'metadata:\n  by:\n    - @mo\n    - jo\n  team: tea\ndescription: d',
      { metadata: { by: ['@mo', 'jo'], team: 'tea' }, description: 'd' },
      'yaml-error@5',
    ],
    [
      'a star in a nested list',
      'paths:\n  - *.ts\n  - src/**\ndescription: d',
      { paths: ['*.ts', 'src/**'], description: 'd' },
      'yaml-error@4',
    ],
    [
      'a nested colon',
      'metadata:\n  note: see: this\n  team: tea',
      { metadata: { note: 'see: this', team: 'tea' } },
      'yaml-unquoted-colon@4',
    ],
    [
      'a nested quote',
      'metadata:\n  note: "a" b\n  team: tea\ndescription: a: b',
      { metadata: { note: '"a" b', team: 'tea' }, description: 'a: b' },
      'yaml-error@4',
    ],
    [
      'two nested lines',
      'metadata:\n  a: %x\n  b: [1, 2\n  c: 3',
      { metadata: { a: '%x', b: '[1, 2', c: 3 } },
      'yaml-error@5',
    ],
    [
      'a full-width colon',
      'description：泡茶\nlicense: MIT',
      { description: '泡茶', license: 'MIT' },
      'yaml-full-width-colon@3',
    ],
    [
      'a full-width colon before another',
      'description：Use when: hot',
      { description: 'Use when: hot' },
      'yaml-full-width-colon@3',
    ],
    [
      'a word that is a tag',
      'description: !important Use it',
      { description: '!important Use it' },
      'yaml-tag@3',
    ],
    [
      'a word that is an anchor',
      'description: &amp; Use it\nlicense: MIT',
      { description: '&amp; Use it', license: 'MIT' },
      'yaml-tag@3',
    ],
    [
      'a glob that is a tag, in a list',
      'paths:\n  - src/**\n  - !src/old/**\ndescription: d',
      { paths: ['src/**', '!src/old/**'], description: 'd' },
      'yaml-tag@3',
    ],
    [
      'a comment',
      'description: For C # code\nlicense: MIT # mine',
      { description: 'For C', license: 'MIT' },
      'yaml-comment@3',
    ],
    ['a key that is a list', '? [a]\n: b\ndescription: d', { description: 'd' }, 'yaml-error@3'],
  ])('[AC-5] %s loses no other field', async (_, yaml, fields, expected) => {
    const skill = await parseSkill(of(yaml))
    expect(skill.fields).toMatchObject({ name: 't', ...fields })
    expect(await found(of(yaml))).toContain(expected)
    expect(skill.body).toBe('Boil water.\n')
  })

  it.each([
    ['an anchor that is used', 'description: &d Tea\nsummary: *d', { description: 'Tea' }],
    ['a tag of YAML', 'version: !!str 1.0', { version: '1.0' }],
    ['a comment behind another field', 'license: MIT # mine', { license: 'MIT' }],
    ['a comment on its own line', '# about\ndescription: Tea', { description: 'Tea' }],
    ['a quoted value', 'description: "!a # b"', { description: '!a # b' }],
    ['a block', 'description: >- # text\n  !a # b', { description: '!a # b' }],
    ['a number', 'description: Fixes bug#12', { description: 'Fixes bug#12' }],
  ])('[AC-5] %s loses nothing and is not reported', async (_, yaml, fields) => {
    const { fields: read, diagnostics } = await parseSkill(of(yaml))
    expect(read).toMatchObject(fields)
    expect(diagnostics.filter(({ code }) => code.startsWith('yaml-'))).toEqual([])
  })

  it.each([
    [
      'a pointer of Git LFS',
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n',
    ],
    ['the text of a link', '../../.agents/skills/tea/SKILL.md'],
    ['the text of a link with a line break', 'shared/SKILL.md\n'],
  ])('[AC-5] %s is no skill', async (_, text) => {
    const { metadata, diagnostics } = await parseSkill(text, { folder: 'tea' })
    expect([metadata.name, metadata.description]).toEqual(['', ''])
    expect(diagnostics).toMatchObject([{ code: 'file-not-there', severity: 'error', line: 1 }])
  })

  it.each([
    ['a list', '- a\n- b'],
    ['a text', 'only words'],
    ['a set', '!!set {name, description}'],
  ])('[AC-5] %s is reported as not a map', async (_, yaml) => {
    const skill = await parseSkill(`---\n${yaml}\n---\nBoil water.\n`)
    expect(skill.fields).toEqual({})
    expect(skill.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'yaml-not-a-map', severity: 'error', line: 2 }),
    )
  })

  it('[AC-5] the hint for an unquoted colon shows the fix', async () => {
    const { diagnostics } = await parseSkill(of('description: a: b'))
    expect(diagnostics[0]).toMatchObject({
      line: 3,
      severity: 'warning',
      hint: 'quote it: description: "..."',
    })
  })

  it.each(['"A "fine" cup: hot"', "'Don't boil: it burns'", '"Tea'])(
    '[AC-5] quotes that do not match are not said to be missing: %s',
    async value => {
      const { diagnostics } = await parseSkill(of(`description: ${value}`))
      expect(diagnostics[0]).toMatchObject({
        code: 'yaml-error',
        line: 3,
        message: 'The quotes around the value of description do not match; it was read as text',
        hint: 'write description: >- and the text on the next line, indented',
      })
    },
  )
})

describe('hostile files', () => {
  const nine = Array.from({ length: 9 }, (_, at) => at + 1)
  const laughs = `a0: &a0 [lol, lol]\n${nine.map(at => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}]`).join('\n')}`
  const of = (yaml: string): string =>
    `---\nname: tea-timer\n${yaml}\nlicense: MIT\n---\nBoil water.\n`

  it.each<[string, string, DiagnosticCode]>([
    ['billion laughs', laughs, 'yaml-alias-limit'],
    ['a list in itself', 'loop: &loop [*loop]', 'yaml-alias-limit'],
    ['a map in itself', 'loop: &loop {a: {b: *loop}}', 'yaml-alias-limit'],
    [
      'many aliases',
      `${Array.from({ length: 1_000 }, (_, at) => `k${at}: &x${at} y`).join('\n')}\nall: [${Array.from({ length: 1_000 }, (_, at) => `*x${at}`).join(', ')}]`,
      'yaml-alias-limit',
    ],
    ['10,000 [', `deep: ${'['.repeat(10_000)}`, 'yaml-too-deep'],
    ['10,000 [ with their ]', `deep: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'yaml-too-deep'],
    ['5,000 {a:', `deep: ${'{a: '.repeat(5_000)}`, 'yaml-too-deep'],
    ['nested lists', `deep:\n  ${'- '.repeat(2_000)}x`, 'yaml-too-deep'],
    ['nested keys', `deep:\n  ${'? '.repeat(2_000)}x`, 'yaml-too-deep'],
    ['keys in keys', `deep:\n  ${'? '.repeat(90)}x`, 'yaml-error'],
    [
      'many keys',
      `deep: {${Array.from({ length: 5_000 }, (_, at) => at).join(',')},x`,
      'yaml-error',
    ],
  ])('[BY-9] %s: is read quickly and keeps the other fields', async (_, yaml, code) => {
    const skill = await parseSkill(of(yaml))
    expect(skill.metadata).toMatchObject({
      name: 'tea-timer',
      description: 'Boil water.',
      license: 'MIT',
    })
    expect(skill.body).toBe('Boil water.\n')
    expect(skill.diagnostics.map(one => one.code)).toContain(code)
    expect(() => JSON.stringify(skill)).not.toThrow()
  })

  it('[BY-9] a few aliases are accepted', async () => {
    const { fields, diagnostics } = await parseSkill(of('a: &a [1]\nb: [*a, *a]'))
    expect(fields).toMatchObject({ a: [1], b: [[1], [1]] })
    expect(diagnostics.map(one => one.code)).not.toContain('yaml-alias-limit')
  })

  const proto =
    '__proto__:\n  license: evil\n  metadata: {version: 6.6.6}\nconstructor: {prototype: {evil: 1}}'
  it.each([
    ['clean', proto],
    ['recovered', `${proto}\nbad: [`],
    ['as text', '__proto__: [\nconstructor: x'],
    ['nested', 'metadata:\n  __proto__: {version: 6.6.6}\n  constructor: x'],
  ])('[BY-9] __proto__ and constructor are ordinary keys (%s)', async (_, yaml) => {
    const { metadata, fields } = await parseSkill(`---\nname: t\ndescription: d\n${yaml}\n---\nx\n`)
    expect(metadata).toEqual({ name: 't', description: 'd' })
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['evil']).toBeUndefined()
  })

  it.each(['enabled', 'timeout', 'tags', 'name', 'author', 'allowed-tools'])(
    '[BY-9] %s as an object',
    async key => {
      const { metadata, diagnostics } = await parseSkill(
        `---\n${key}: {toString: 1, valueOf: 2}\nlicense: MIT\n---\nx\n`,
      )
      expect(metadata.license).toBe('MIT')
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'field-type' }))
    },
  )

  it('[BY-9] a body of 5 MB is kept', async () => {
    const body = 'Boil the water, then wait.\n'.repeat(200_000)
    const skill = await parseSkill(`---\n${FIELDS}\n---\n${body}`)
    expect(skill.body === body).toBe(true)
    expect(skill.diagnostics.map(one => one.code)).toEqual(['too-large', 'instructions-large'])
  })

  it.each([
    ['one line', `junk: ${'x'.repeat(5_000_000)}`],
    ['many lines', 'junk: x\n'.repeat(600_000)],
  ])(
    '[BY-9] a frontmatter of 5 MB is truncated and its first fields are read: %s',
    async (_, junk) => {
      const skill = await parseSkill(`---\n${FIELDS}\n${junk}\n---\nBoil water.\n`)
      expect(skill.metadata).toMatchObject({
        name: 'tea-timer',
        description: 'Times a pot of tea.',
      })
      expect(skill.diagnostics.map(one => one.code)).toContain('too-large')
      expect(skill.frontmatter.length + skill.body.length).toBeGreaterThan(4_800_000)
    },
  )
})

describe('missing fields', () => {
  const BODY =
    '<!-- made by a tool -->\n# Brew **tea**\n\n> a motto\n\nFinds the [best](x.md) leaves\nfor *you*.\n\nMore.\n'
  const inferred = 'Finds the best leaves for *you*.'
  it.each<
    [string, fields: string, ParseOptions, name: string, description: string, inferred: string[]]
  >([
    ['name from the folder', 'description: d', { folder: 'a/brew' }, 'brew', 'd', ['name']],
    ['name from the heading', 'description: d', {}, 'Brew tea', 'd', ['name']],
    ['description from the first paragraph', 'name: n', {}, 'n', inferred, ['description']],
    [
      'empty values',
      'name: ""\ndescription: "  "',
      { folder: 'brew' },
      'brew',
      inferred,
      ['name', 'description'],
    ],
    [
      'null',
      'name:\ndescription: ~',
      { folder: 'brew' },
      'brew',
      inferred,
      ['name', 'description'],
    ],
  ])('[AC-5] %s', async (_, fields, options, name, description, inferred) => {
    const { metadata } = await parseSkill(`---\n${fields}\n---\n${BODY}`, options)
    expect(metadata).toEqual({ name, description, inferred })
  })

  it('[AC-5] an inferred field is a warning on line 1 with a hint', async () => {
    const { diagnostics } = await parseSkill(`---\nlicense: MIT\n---\n${BODY}`, { folder: 'brew' })
    expect(diagnostics).toMatchObject([
      { code: 'name-inferred', severity: 'warning', line: 1, hint: 'add name: to the frontmatter' },
      {
        code: 'description-inferred',
        severity: 'warning',
        line: 1,
        hint: 'add description: to the frontmatter',
      },
    ])
  })

  it.each(['">"', '"|"', '"-"', '"…"'])(
    '[AC-5] a description without words is missing: %s',
    async description => {
      const { metadata, diagnostics } = await parseSkill(
        `---\nname: brew\ndescription: ${description}\n---\n${BODY}`,
      )
      expect(metadata).toMatchObject({ description: inferred, inferred: ['description'] })
      expect(diagnostics).toMatchObject([
        {
          code: 'description-inferred',
          message: expect.stringContaining(`only ${description}; "Finds`),
        },
      ])
    },
  )

  it('[OS-9] without inference a missing name and description are empty and errors', async () => {
    const options = { folder: 'brew', infer: false }
    const { metadata, diagnostics } = await parseSkill(`---\nlicense: MIT\n---\n${BODY}`, options)
    expect(metadata).toEqual({ name: '', description: '', license: 'MIT' })
    for (const code of ['name-missing', 'description-missing'])
      expect(diagnostics).toContainEqual(expect.objectContaining({ code, severity: 'error' }))
  })

  it('an inferred description has at most 1,024 characters and no lone surrogate', async () => {
    const { metadata } = await parseSkill(`# T\n\n${'x'.repeat(1_023)}\u{1F375}\u{1F375}\n`)
    expect(metadata.description).toBe('x'.repeat(1_023))
  })
})

describe('sizes', () => {
  const of = (words: number, lines: number): string =>
    `---\nname: t\ndescription: ${'word '.repeat(words).trim()}\n---\n${'word\n'.repeat(lines)}`
  it('[TD-1] more than 100 tokens of metadata are a warning, and more than 5,000 of instructions', async () => {
    expect(await codesOf(of(90, 2_000))).toEqual([])
    expect(await codesOf(of(110, 2_000))).toEqual(['metadata-large'])
    expect(await codesOf(of(90, 2_600))).toEqual(['instructions-large'])
    const { diagnostics } = await parseSkill(of(110, 2_600))
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning metadata-large',
      'warning instructions-large',
    ])
  })
})

describe('any input', () => {
  const seeds = [
    SKILL,
    '\uFEFF---\r\nname: 茶\r\ndescription: >-\r\n  泡茶，\r\n  计时\r\ntags: [a, "b"]\r\n---\r\n# 茶\r\n',
    '```yaml\nname: x\ndescription: "a: b"\nmetadata: {a: &a [1], b: *a}\n```\n\n- one\n- two\n',
    '# Title\n\nText.\n\n---\nname: x\ndescription: d\n---\n\n---\n',
    'name: x\ndescription: |\n  a\n\n  b\nallowed-tools: Bash(git:*), Read\n\n## Steps\n\n1. go\n',
    '---\nname: x\n\tdescription: Use: it\nmetadata:\n  nested: [{a: 1}, {b: [c]}]\n\nText\n\n---\n',
  ].map(bytes)

  const marks = [
    '---\n',
    '\n',
    ': ',
    '[',
    '"',
    '```\n',
    '\t',
    '&a ',
    '*a',
    '? ',
    '- ',
    '| ',
    '\r',
    '#',
  ]
  const mutate = (source: Uint8Array, random: (below: number) => number): Uint8Array => {
    const list = [...source]
    for (let turn = random(6); turn >= 0; turn--) {
      const at = random(list.length + 1)
      const slice = list.slice(at, at + random(30))
      const kind = random(5)
      if (kind === 0) list.splice(at, slice.length)
      else if (kind === 1) list.splice(random(list.length + 1), 0, ...slice)
      else if (kind === 2) list.splice(at, slice.length, ...slice.reverse())
      else if (kind === 3) list.splice(at, 0, ...bytes(marks[random(marks.length)] as string))
      else list.splice(at, 1, random(256))
    }
    return Uint8Array.from(list)
  }

  it('parseSkill refuses what is neither text nor bytes', async () => {
    for (const wrong of [5, undefined, { name: 'tea' }])
      await expect(parseSkill(wrong as never)).rejects.toThrow('A SKILL.md must be text or bytes')
  })

  it('[BY-9] [AC-5] parseSkill never throws on mutants', async () => {
    // The same mutants in every run.
    const next = randomFrom(20_250_131)
    const random = (below: number): number => (next() * 2 ** 32) % below
    for (let turn = 0; turn < (EVERYTHING ? 1_200 : 240); turn++) {
      const source = mutate(seeds[turn % seeds.length] as Uint8Array, random)
      const skill = await parseSkill(
        source,
        turn % 2 === 0 ? { folder: 'tea' } : { infer: false, strict: true },
      )
      expect(typeof skill.metadata.name).toBe('string')
      expect(typeof skill.metadata.description).toBe('string')
      expect(Object.getPrototypeOf(skill.fields)).toBe(Object.prototype)
      for (const one of skill.diagnostics) expect(one.line ?? 1).toBeGreaterThan(0)
      if (turn % 2 === 0) expect(skill.metadata.name).not.toBe('')
      const text = new TextDecoder().decode(source).replaceAll('\0', '')
      if (skill.diagnostics.some(one => one.code === 'no-frontmatter'))
        expect(skill.body).toBe(source[0] === 0xff || source[0] === 0xfe ? skill.body : text)
      else if (source[0] !== 0xff && source[0] !== 0xfe) {
        // Only fences and white space are removed.
        const rest = [...`${skill.frontmatter}${skill.body}`].filter(
          one => !/[\s`~-]|\w/.test(one),
        ).length
        expect(rest).toBe(
          [...text.replace(/^\uFEFF/, '')].filter(one => !/[\s`~-]|\w/.test(one)).length,
        )
      }
    }
  })
})

it('[BY-9] long names are cut to 256 characters with a diagnostic', async () => {
  const name = `${'a'.repeat(255)}😀b`
  const { metadata, diagnostics } = await parseSkill(
    `---\nname: ${name}\ndisplay_name: ${'b'.repeat(300)}\ndescription: Long.\n---\nx\n`,
  )
  expect([metadata.name, metadata.displayName]).toEqual(['a'.repeat(255), 'b'.repeat(256)])
  expect(
    diagnostics.filter(({ code }) => code === 'too-large').map(({ message }) => message),
  ).toEqual([
    'name is longer than 256 characters; the rest was ignored',
    'display_name is longer than 256 characters; the rest was ignored',
  ])
})

it.each(['name: [unclosed', 'name: {a: b', 'name: *missing', 'Name: [a, b'])(
  '[BY-9] [OS-9] %s is no name: that of the folder stands in',
  async field => {
    const parsed = await parseSkill(`---\n${field}\ndescription: Reads files.\n---\nRead.`, {
      folder: 'files',
    })
    expect(parsed.metadata).toMatchObject({
      name: 'files',
      description: 'Reads files.',
      inferred: ['name'],
    })
    expect(parsed.diagnostics.map(({ message }) => message).join()).not.toContain('read as text')
  },
)
