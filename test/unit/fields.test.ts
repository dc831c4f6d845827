import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseSkill } from '../../src/skill/parse.js'
import type { SkillMetadata } from '../../src/skill/skill.js'
import { isSpecName } from '../../src/skill/specification.js'
import { splitToolRules } from '../../src/skill/tool-rules.js'

const BODY = 'Boil water.\n'
const read = (yaml: string, options = {}) => parseSkill(`---\n${yaml}\n---\n${BODY}`, options)
/** The metadata of a valid skill with additional lines. */
const extra = async (yaml: string): Promise<Partial<SkillMetadata>> => {
  const { name, description, ...rest } = (await read(`name: tea\ndescription: d\n${yaml}`)).metadata
  expect({ name, description }).toEqual({ name: 'tea', description: 'd' })
  return rest
}
const codes = async (yaml: string, options = {}): Promise<string[]> =>
  (await read(yaml, options)).diagnostics.map(one => `${one.severity} ${one.code}`)

describe('the five systems', () => {
  it('[TD-2] TokenDance', async () => {
    const yaml = `display_name: 泡茶计时
version: 2.10.0
author: mo
tags: [tea, timer]
allowed_tools: [start_timer, notify]
max_iterations: 12
timeout: 45
enabled: false`
    expect(await extra(yaml)).toEqual({
      displayName: '泡茶计时',
      version: '2.10.0',
      author: 'mo',
      tags: ['tea', 'timer'],
      allowedTools: ['start_timer', 'notify'],
      maxIterations: 12,
      timeout: 45,
      enabled: false,
    })
  })

  it('[OS-7] openseed follows the specification', async () => {
    const yaml = `name: tea-timer
description: Times tea. Use when someone brews.
license: MIT
compatibility: Needs a clock
metadata:
  author: mo
  version: "1.0.0"
allowed-tools: Bash(date:*) Read`
    const skill = await read(yaml, { folder: 'x/tea-timer', strict: true })
    expect(skill.metadata).toEqual({
      name: 'tea-timer',
      description: 'Times tea. Use when someone brews.',
      license: 'MIT',
      compatibility: 'Needs a clock',
      author: 'mo',
      version: '1.0.0',
      allowedTools: ['Bash(date:*)', 'Read'],
    })
    expect(skill.diagnostics).toEqual([])
  })

  it('[OE-1] OmniEmployee', async () => {
    const fields = await extra('when_to_use: Someone brews tea\ntags:\n  - tea\n  - hot drinks')
    expect(fields).toEqual({ whenToUse: 'Someone brews tea', tags: ['tea', 'hot drinks'] })
  })

  it.each([
    ['[MX-1] ManusX: dashes and brackets', 'tea', 'Times tea - green, black (or white).'],
    ['[AC-1] agent-core: any text as name', 'Tea Timer 茶', '计时'],
  ])('%s', async (_, name, description) => {
    const { metadata } = await read(`name: ${name}\ndescription: ${description}`, { folder: 'tea' })
    expect(metadata).toEqual({ name, description })
  })
})

describe('spellings', () => {
  it.each<[string, Partial<SkillMetadata>]>([
    ['', {}],
    ['display-name: D', { displayName: 'D' }],
    ['displayName: D', { displayName: 'D' }],
    ['when-to-use: W', { whenToUse: 'W' }],
    ['whenToUse: W', { whenToUse: 'W' }],
    ['keywords: [k]', { tags: ['k'] }],
    ['allowedTools: [A]', { allowedTools: ['A'] }],
    ['max-iterations: 3', { maxIterations: 3 }],
    ['maxIterations: 3', { maxIterations: 3 }],
    ['licence: MIT', { license: 'MIT' }],
    ['disable-model-invocation: true', { disableModelInvocation: true }],
    ['disable_model_invocation: true', { disableModelInvocation: true }],
    ['userInvocable: false', { userInvocable: false }],
    ['metadata: {display_name: D}', { displayName: 'D' }],
    ['metadata:\n  max-iterations: 3\n  enabled: "no"', { maxIterations: 3, enabled: false }],
    ['metadata: {version: 1.0}', { version: '1.0' }],
    ['version: 2.0.0\nmetadata: {version: 1.0.0}', { version: '2.0.0' }],
    ['metadata: {version: 1.0.0}\nversion:', { version: '1.0.0' }],
    ['display_name: A\nmetadata: {displayName: B}', { displayName: 'A' }],
    ['metadata: text', {}],
    ['metadata: [a]', {}],
    ['author: {name: Mo, mail: x}', { author: 'Mo' }],
  ])('[TD-2] %s', async (yaml, metadata) => {
    expect(await extra(yaml)).toEqual(metadata)
  })

  it('capitalized Name and Description are read', async () => {
    expect((await read('Name: Tea\nDescription: Times it')).metadata).toEqual({
      name: 'Tea',
      description: 'Times it',
    })
  })

  it('[TD-2] the first of two spellings at one level is used, and the other is reported', async () => {
    expect(await extra('displayName: B\ndisplay_name: A')).toEqual({ displayName: 'A' })
    expect(await codes('name: a\ndescription: d\ndisplayName: B\ndisplay_name: A')).toContain(
      'warning field-duplicate',
    )
    expect(
      await codes('name: a\ndescription: d\nversion: 2.0.0\nmetadata: {version: 1.0.0}'),
    ).not.toContain('warning field-duplicate')
  })
})

describe('values', () => {
  it.each<[string, string, string]>([
    ['name: 007', 'name', '007'],
    ['name: 1e3', 'name', '1e3'],
    ['name: 0x1F', 'name', '0x1F'],
    ['name: true', 'name', 'true'],
    ['name: 12345678901234567890', 'name', '12345678901234567890'],
    ['version: 1.0', 'version', '1.0'],
    ['version: 2', 'version', '2'],
    ['license: 0.10', 'license', '0.10'],
    ['author: [a, b]', 'author', 'a, b'],
    ['description: |\n  one\n  two', 'description', 'one\ntwo'],
    ['description: >\n  one\n  two\n\n  three', 'description', 'one two\nthree'],
    ['description: >-\n  one: two', 'description', 'one: two'],
    ['description: one\n  two\n  three', 'description', 'one two three'],
    ['description: "one\n  two\\nthree"', 'description', 'one two\nthree'],
    ["description: 'it''s\n  so'", 'description', "it's so"],
    ['description: "  padded "', 'description', 'padded'],
  ])('[TD-2] %j keeps its source text', async (yaml, key, value) => {
    expect((await read(yaml)).metadata).toMatchObject({ [key]: value })
  })

  it('keeps the source text of a number beside an invalid line', async () => {
    const { metadata } = await read(
      'name: 007\nversion: 1.10\ndescription: a: b\nmetadata: {author: 08}',
    )
    expect(metadata).toMatchObject({ name: '007', version: '1.10', author: '08' })
  })

  it.each<[string, readonly string[] | undefined]>([
    ['allowed-tools: Read Write', ['Read', 'Write']],
    ['allowed-tools: Read, Write,Edit', ['Read', 'Write', 'Edit']],
    [
      'allowed-tools: Bash(git add:*) Bash(npm run test:*), Read',
      ['Bash(git add:*)', 'Bash(npm run test:*)', 'Read'],
    ],
    ['allowed-tools: Bash(a, b), Read', ['Bash(a, b)', 'Read']],
    ['allowed_tools: [Bash(git add:*), Read]', ['Bash(git add:*)', 'Read']],
    ['allowed_tools:\n  - Bash(git add:*)\n  - Read', ['Bash(git add:*)', 'Read']],
    ['allowed-tools: "[Read, Write]"', ['Read', 'Write']],
    ['allowed-tools: "Read"', ['Read']],
    ['allowed_tools: []', []],
    ['allowed-tools: ""', []],
    ['allowed_tools:', undefined],
    ['license: MIT', undefined],
    ['allowed_tools: {Read: true}', undefined],
    ['allowed_tools: [Read, {a: 1}, 7, "", [x]]', ['Read', '7']],
  ])('[TD-9] %j', async (yaml, tools) => {
    expect((await extra(yaml)).allowedTools).toEqual(tools)
  })

  it.each<[string, readonly string[] | undefined]>([
    [`allowed-tools: '"Read", "Bash(git add:*)"'`, ['Read', 'Bash(git add:*)']],
    ['allowed-tools: "Read", "Write"', ['Read', 'Write']],
    ['allowed-tools: `Read`, `Write`', ['Read', 'Write']],
    ['allowed-tools: ["Read, Write", mcp__github__*]', ['Read', 'Write', 'mcp__github__*']],
    [
      'allowed-tools: Bash (git add *), WebFetch(domain:a.b)',
      ['Bash(git add *)', 'WebFetch(domain:a.b)'],
    ],
    [`allowed-tools: 'Bash(git commit -m "(a)")'`, ['Bash(git commit -m "(a)")']],
  ])('[BY-32] %j', async (yaml, tools) => {
    expect((await extra(yaml)).allowedTools).toEqual(tools)
  })

  it.each<[string, readonly string[]]>([
    ['paths: app/[id]/**, src/[slug]', ['app/[id]/**', 'src/[slug]']],
    ['paths: "[app/[id]/*, src]"', ['app/[id]/*', 'src']],
    ['paths: "[id]/*, [slug]"', ['[id]/*', '[slug]']],
    ['paths: src/**, !src/gen/**', ['src/**', '!src/gen/**']],
  ])('[BY-26] %j', async (yaml, paths) => {
    expect((await extra(yaml)).paths).toEqual(paths)
  })

  it('an open bracket is parsed in linear time', () => {
    expect(splitToolRules('Bash(git add')).toEqual(['Bash(git add'])
    expect(splitToolRules('('.repeat(1_000_000))).toHaveLength(1)
  })

  it.each<[string, readonly string[] | undefined]>([
    ['tags: tea, hot drinks', ['tea', 'hot drinks']],
    ['tags: tea timer', ['tea', 'timer']],
    ['tags: 茶，计时、绿茶', ['茶', '计时', '绿茶']],
    ['tags: "[tea, \'pot\']"', ['tea', 'pot']],
    ['tags: [2024, true, tea]', ['2024', 'true', 'tea']],
    ['tags: 2024', ['2024']],
    ['tags: []', []],
    ['tags: {a: b}', undefined],
  ])('[TD-2] %j', async (yaml, tags) => {
    expect((await extra(yaml)).tags).toEqual(tags)
  })

  it.each<[boolean | undefined, words: string[]]>([
    [true, ['true', 'Yes', 'on', '1', '"TRUE"']],
    [false, ['false', 'NO', 'off', '0']],
    [undefined, ['maybe', '[false]', '']],
  ])('[TD-2] enabled is %s', async (enabled, words) => {
    for (const word of words)
      expect([word, (await extra(`enabled: ${word}`)).enabled]).toEqual([word, enabled])
  })

  it.each<[string, number | undefined]>([
    ['300', 300],
    ['1.5', 1.5],
    ['"20"', 20],
    ['30s', 30],
    ['30 seconds', 30],
    ...['5m', '1.2.3', '0', '-3', '.inf', 'soon', '[300]'].map((word): [string, undefined] => [
      word,
      undefined,
    ]),
  ])('[TD-2] timeout: %s', async (word, timeout) => {
    expect((await extra(`timeout: ${word}`)).timeout).toBe(timeout)
    expect(
      (await codes(`name: t\ndescription: d\ntimeout: ${word}`)).includes('warning field-type'),
    ).toBe(timeout === undefined)
  })
})

describe('fields', () => {
  it.each([
    'name: tea\ndescription: d\nhomepage: https://x.org\nmodel: {name: m, temperature: 0.5}\nlist: [1, two, null, true, 3.0]',
    'name: 007\nversion: 1.0\nbig: 1e400\nhex: 0xff\noctal: 0o17\ndate: 2024-05-01\nyes: yes\nnull: ~',
    'text: |+\n  a\n\n  b\n\nfolded: >\n  a\n  b\nquoted: "\\u8336\\n"\n',
    '"quoted key": 1\n\'other\': 2\n1: one\n? plain\n: value',
    'base: &base {a: 1}\ncopy: *base\n<<: *base\ntags: !!str 12',
    '{name: tea, description: d, nested: {deep: [{a: [b, {c: d}]}]}}',
    '# only\n# comments',
    'a: 1 # one\n\n\nb: 2\n...\n',
    'emoji: 🍵\n说明: 茶\nspaced key here: x',
  ])("[AC-5] where YAML parses, every value is the parser's: %j", async yaml => {
    expect((await read(yaml)).fields).toEqual(parse(yaml, { logLevel: 'silent' }) ?? {})
  })

  it('[TD-2] unknown fields are kept and reported as info', async () => {
    const { fields, diagnostics } = await read(
      'name: tea\ndescription: d\nmood: calm\nmcp:\n  - a: 1',
    )
    expect(fields).toEqual({ name: 'tea', description: 'd', mood: 'calm', mcp: [{ a: 1 }] })
    expect(diagnostics).toMatchObject([
      {
        code: 'unknown-field',
        severity: 'info',
        message: 'Not defined by the specification: mood, mcp',
      },
    ])
  })
})

describe('the specification', () => {
  it.each([
    [true, ['a', 'a1-b2', '7', 'x'.repeat(64)]],
    [
      false,
      [
        'x'.repeat(65),
        '',
        '-a',
        'a-',
        'a--b',
        'A',
        'a_b',
        'a b',
        '茶',
        'a\n',
        `${'a-'.repeat(500_000)}-`,
      ],
    ],
  ])('[OS-7] names that follow it: %s', (right, names) => {
    expect(names.filter(name => isSpecName(name) !== right)).toEqual([])
  })

  it.each([
    ['name: Tea\ndescription: d', 'warning name-invalid'],
    ['name: pot\ndescription: d', 'warning name-not-folder'],
    [`name: tea\ndescription: ${'x'.repeat(1_025)}`, 'warning description-length'],
    [
      `name: tea\ndescription: d\ncompatibility: ${'x'.repeat(501)}`,
      'warning compatibility-length',
    ],
    ['name: tea\ndescription: d\ncompatibility: ""', 'warning compatibility-length'],
    ['name: tea\ndescription: d\nmetadata: {a: 1}', 'info metadata-not-strings'],
    ['name: tea\ndescription: d\nmetadata: x', 'info metadata-not-strings'],
    ['name: tea\ndescription: d\nallowed-tools: [Read]', 'info allowed-tools-form'],
    ['name: tea\ndescription: d\nmood: calm', 'info unknown-field'],
    ['Name: tea\ndescription: d', 'warning field-misspelled'],
    ['name: tea\ndescription: d\nallowed_tools: [Read]', 'info field-misspelled'],
    ['name: tea\ndescription: d\nallow-tools: Read', 'warning field-misspelled'],
    ['name: tea\ndescription: d\ndisable_model_invocation: true', 'info field-misspelled'],
  ])('[OS-7] %.60j is reported as %s, in strict mode as an error', async (yaml, expected) => {
    expect(await codes(yaml, { folder: 'tea' })).toContain(expected)
    expect(await codes(yaml, { folder: 'tea', strict: true })).toContain(
      `error ${expected.split(' ')[1]}`,
    )
  })

  it('[OS-7] a misspelled field has one diagnostic, with the name to write', async () => {
    const { diagnostics } = await read('Name: tea\ndescription: d\nallow-tools: Read', {
      folder: 'tea',
    })
    const message = 'Name is read as name, but not by every system'
    expect(diagnostics).toMatchObject([
      { code: 'field-misspelled', line: 2, message, hint: 'write name' },
      { code: 'field-misspelled', line: 4, hint: 'did you mean allowed-tools?' },
    ])
    expect(diagnostics).toHaveLength(2)
  })

  it('[OS-7] fields of Claude Code and OpenClaw are errors only in strict mode', async () => {
    const yaml =
      'name: tea\ndescription: d\nuser-invocable: true\npaths: "**/*.tea"\nmodel: opus\nhomepage: https://x'
    expect(await codes(yaml, { folder: 'tea' })).toEqual([])
    expect(await codes(yaml, { folder: 'tea', strict: true })).toEqual(['error unknown-field'])
  })

  it('[OS-7] values at the limits are valid', async () => {
    const name = 'x'.repeat(64)
    const yaml = `name: ${name}\ndescription: ${'x'.repeat(1_024)}\ncompatibility: ${'x'.repeat(500)}`
    expect(await codes(yaml, { folder: name, countTokens: () => 1 })).toEqual([])
  })

  it('[OS-7] an inferred name is not checked against the specification', async () => {
    expect(await codes('description: d', { folder: 'Tea Pot', strict: true })).toEqual([
      'warning name-inferred',
    ])
  })

  it('[TD-2] a version that is not semantic is an info', async () => {
    for (const [versions, expected] of [
      [['1.0.0', 'v1.2.3', '1.0.0-rc.1', '1.0', '"1.0"'], false],
      [['1', 'latest'], true],
    ] as const) {
      for (const version of versions) {
        const found = await codes(`name: t\ndescription: d\nversion: ${version}`)
        expect([version, found.includes('info version-not-semver')]).toEqual([version, expected])
      }
    }
  })
})
