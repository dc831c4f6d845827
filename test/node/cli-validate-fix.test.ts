import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTree } from '../../src/library/catalog/read-tree.js'
import { parseSkill } from '../../src/skill/parse.js'
import { directory } from '../../src/source/directory/directory.js'
import { findLoss, readText } from '../../src/tools/cli/fix-losses.js'
import { correctSkill } from '../../src/tools/cli/fix-skill.js'
import { fixSkill, fixSkills } from '../../src/tools/cli/validate-fix.js'
import { cli, contentsOf, skill, temporaryFolder } from './cli-world.js'

const FIELDS = 'name: tea\ndescription: Makes tea.'
const RIGHT = `---\n${FIELDS}\n---\n\nBoil water.\n`
const BODY = '\nBoil water.\n'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const fix = async (text: string | Uint8Array): Promise<string | undefined> =>
  (await fixSkill(typeof text === 'string' ? bytes(text) : text, 'tea'))?.after

describe('skillshelf validate --fix', () => {
  const tea = (line: string, body = BODY): string => `---\n${FIELDS}\n${line}\n---\n${body}`
  const told = (description: string, body = BODY): string =>
    `---\nname: tea\ndescription: ${description}\n---\n${body}`

  it.each<[string, string, string]>([
    ['a byte order mark', `\uFEFF${RIGHT}`, RIGHT],
    ['CRLF', RIGHT.replaceAll('\n', '\r\n'), RIGHT],
    [
      'the case of keys',
      RIGHT.replace('name', 'Name').replace('description', 'Description'),
      RIGHT,
    ],
    ['a field that is read in any case', tea('Version: 1.0.0'), tea('version: 1.0.0')],
    ['allowed_tools', tea('allowed_tools: Read'), tea('allowed-tools: Read')],
    ['a field of Claude Code', tea('user_invocable: false'), tea('user-invocable: false')],
    ['blanks after a fence', RIGHT.replace('---', '---  '), RIGHT],
    ['a fence that names its language', RIGHT.replace('---', '---yaml'), RIGHT],
    ['stars', RIGHT.replaceAll('---', '***'), RIGHT],
    ['no opening fence', RIGHT.slice(4), RIGHT],
    ['no closing fence', `---\n${FIELDS}\n\nBoil water.\n`, RIGHT],
    ['a code block', `\`\`\`markdown\n${RIGHT}\`\`\`\n`, RIGHT],
    ['text above', `# Tea\n\n${RIGHT}`, `---\n${FIELDS}\n---\n# Tea\n\n\nBoil water.\n`],
    [
      'an unquoted colon',
      told('Use when: the kettle\n  sings\nlicense: MIT'),
      told('"Use when: the kettle sings"\nlicense: MIT'),
    ],
    ['quotes in quotes', told('"A "fine" cup"'), told('"A \\"fine\\" cup"')],
    ['a tab', tea('metadata:\n\tauthor: Mo'), tea('metadata:\n  author: Mo')],
  ])('[OS-7] corrects %s, and what is read stays the same', async (_, before, after) => {
    expect(await fix(before)).toBe(after)
    expect(await fix(after)).toBeUndefined()
    const [old, now] = [await parseSkill(before), await parseSkill(after)]
    expect(now.metadata).toMatchObject(old.metadata)
    expect(now.body.trim()).toBe(old.body.replaceAll('\r\n', '\n').trim())
  })

  it.each([
    ['a right file', RIGHT],
    ['a field that is only similar', tea('allow-tools: Read')],
    ['two spellings', tea('Name: pot')],
    ['TOML', `+++\nname = "tea"\n+++\n${BODY}`],
    ['a list that is not closed', tea('tags: [a, b')],
    ['no frontmatter', '# Tea\n\nBoil water.\n'],
    ['a file that is not UTF-8', Uint8Array.of(...bytes(`\uFEFF${RIGHT}`), 0xff)],
  ])('[OS-7] leaves %s to the author', async (_, text) => {
    expect(await fix(text)).toBeUndefined()
  })

  it.each<[string, string, string]>([
    [
      'a comment',
      told('a: b\nMetadata: {x: 1} # why\nName2:   "n"   # kept'),
      told('"a: b"\nMetadata: {x: 1} # why\nName2:   "n"   # kept'),
    ],
    [
      'odd quoting and order',
      tea('tags:   [ \'a\',"b" ]\nVersion: 1.0'),
      tea('tags:   [ \'a\',"b" ]\nversion: 1.0'),
    ],
    [
      'a field with another alphabet',
      told('a: b\n说明: c\nwhen to use: d'),
      told('"a: b"\n说明: c\nwhen to use: d'),
    ],
    [
      'a block scalar',
      tea('x: |\n  Name: y\n  # z\nVersion: 1.0'),
      tea('x: |\n  Name: y\n  # z\nversion: 1.0'),
    ],
    [
      'CRLF in the instructions',
      `---\r\n${FIELDS}\n---\nGET /\r\n\r\nDo.\n`,
      `---\n${FIELDS}\n---\nGET /\r\n\r\nDo.\n`,
    ],
    [
      'blanks of the instructions',
      told('a: b', '\n\n\tx  \n\n\n'),
      told('"a: b"', '\n\n\tx  \n\n\n'),
    ],
    ['nothing behind the last fence', `\uFEFF---\n${FIELDS}\n---`, `---\n${FIELDS}\n---`],
  ])('[OS-7] keeps %s byte for byte', async (_, before, after) => {
    expect(await fix(before)).toBe(after)
  })

  it.each<[string, string | Uint8Array, string, RegExp]>([
    [
      'a repeated field',
      tea('x: 1\nx: 2\r'),
      'yaml-duplicate-key',
      /which of two values is meant; remove one/,
    ],
    [
      'a repeated field that is not valid',
      told('a: b\ndescription: c: d'),
      'yaml-unquoted-colon',
      /which of two.*"description"/,
    ],
    [
      'text above the fields',
      told('a: b').replace('name', 'stray text\nname'),
      'yaml-unquoted-colon',
      /part of the frontmatter is not/,
    ],
    [
      'a map or text',
      told('a\nmetadata: x\n  a: b'),
      'yaml-unquoted-colon',
      /may be a list, a map.*valid YAML/,
    ],
    ['a list or text', told('Use when: hot\n  - or cold'), 'yaml-unquoted-colon', /may be a list/],
    [
      'a comment or text',
      told('Use when: hot # or cold'),
      'yaml-unquoted-colon',
      /after # may be a comment/,
    ],
    ['quotes that do not end', told('"tea'), 'yaml-error', /where the quotes end/],
    ['paragraphs', told('a: b\n\n  c d'), 'yaml-unquoted-colon', /several paragraphs/],
    ['tabs of any width', tea('metadata:\n    a: 1\n\tb: 2'), 'yaml-tab', /how wide a tab is/],
    [
      'other words',
      tea('licence: MIT'),
      'field-misspelled',
      /words of license differ.*write license/,
    ],
    [
      'a right spelling beside',
      tea('allowed_tools: a\nAllowed_Tools: b'),
      'field-misspelled',
      /did you mean|write allowed-tools/,
    ],
    [
      'a similar field',
      tea('allow-tools: Read'),
      'field-misspelled',
      /not certain what was meant; did you mean/,
    ],
    [
      'an example',
      `Write:\n\n\`\`\`yaml\n${RIGHT}\`\`\`\n`,
      'frontmatter-in-code-fence',
      /may be an example; remove/,
    ],
    [
      'fields and prose',
      `---\n${FIELDS}\n\nNote: boil\n\nBoil water.\n`,
      'frontmatter-unclosed',
      /where the fields end; add a line ---/,
    ],
    [
      'the word of a fence',
      `\`\`\`skill\n${RIGHT}\`\`\`\n`,
      'frontmatter-in-code-fence',
      /word "skill" would be lost/,
    ],
    [
      'half a character',
      Buffer.from('\ufeff---\nname: \ud800\n---\n', 'utf16le'),
      'utf16',
      /not text; save/,
    ],
    ['two byte order marks', `\uFEFF\uFEFF${RIGHT}`, 'bom', /two byte order marks; remove both/],
    ['carriage returns', `---\n${FIELDS}\rx: y\n---\n`, 'crlf', /carriage returns; end each/],
  ])('[OS-7] leaves %s, and says why and what to do', async (_, text, code, why) => {
    const content = typeof text === 'string' ? bytes(text) : text
    const { fixed, notFixed } = await correctSkill(content, 'tea')
    expect(fixed).toBeUndefined()
    const [first] = notFixed.filter(one => one.code === code)
    expect(`${first?.reason}; ${first?.hint}`).toMatch(why)
  })

  it.each<[string, string, string | undefined]>([
    ['name: tea # why', 'name: tea', 'a comment would be lost'],
    ['name: tea # why', 'name: "tea # why"', '"name" would be read otherwise'],
    ['name: tea\nx: [why]', 'name: tea', '"x" would be read otherwise'],
    ['name: tea', 'name: tea\nx: 1', '"x" would be read otherwise'],
    ['name: tea\nx: 1.0', 'name: tea\nx: 1', 'the word "0" would be lost'],
    ['name: tea\nx: {a: "b"}', 'x: {a: b}\nname:   tea', undefined],
    [
      'name: tea\nx: a',
      'name: tea\nx: a\nx: a',
      'the result would have the problem yaml-duplicate-key',
    ],
  ])('[OS-7] from %j to %j it finds what is lost', async (old, now, loss) => {
    const [before, after] = await Promise.all(
      [old, now].map(text => readText(`---\n${text}\n---\nDo.\n`, 'tea', [])),
    )
    if (before && after) expect(findLoss(before, after)).toBe(loss)
    if (before)
      expect(findLoss(before, await readText(before.text.replace('Do.', 'Do'), 'tea', []))).toMatch(
        /instructions/,
      )
  })

  it('[OS-7] corrects what is certain beside what is not', async () => {
    const text = `---\r\nName: tea\r\ndescription: Makes tea.\r\nlicence: MIT\r\n---\r\n`
    const cwd = temporaryFolder({ 'tea/SKILL.md': text })
    const { out } = await cli(['validate', '--fix'], { cwd })
    expect(out).toContain(
      'Corrected 1 file\nLeft to you, 1 problem:\n  tea/SKILL.md:4: field-misspelled: the words of',
    )
    expect(await contentsOf(cwd)).toEqual({ 'tea/SKILL.md': `---\n${FIELDS}\nlicence: MIT\n---\n` })
    const again = await cli(['validate', '--fix', '--json'], { cwd })
    expect(again.json()).toMatchObject({
      fixed: [],
      notFixed: [{ path: 'tea/SKILL.md', line: 4, hint: 'write license' }],
    })
  })

  it('[OS-7] an edit that is saved while --fix runs stays', async () => {
    const cwd = temporaryFolder({ 'tea/SKILL.md': `\uFEFF${RIGHT}` })
    const source = directory(cwd)
    const { changed } = await readTree(source)
    const edited = {
      ...source,
      read: async (path: string) => {
        const result = await source.read(path)
        await writeFile(join(cwd, 'tea/SKILL.md'), `\uFEFF${RIGHT}More.\n`)
        return result
      },
    }
    const { fixed, notFixed } = await fixSkills(edited, changed, {
      root: cwd,
      keep: [],
      signal: undefined,
    })
    expect([fixed, notFixed.map(({ reason }) => reason)]).toEqual([
      [],
      ['the file changed while it was read'],
    ])
    expect(await readFile(join(cwd, 'tea/SKILL.md'), 'utf8')).toBe(`\uFEFF${RIGHT}More.\n`)
  })

  it('[OS-7] a terminal shows no escape sequences of a skill', async () => {
    const red = '\u001b[31m'
    const cwd = temporaryFolder({
      'tea/SKILL.md': `---\nName: a${red}b\ndescription: Makes tea.\n---\n`,
    })
    const { out } = await cli(['validate', '--dry-run'], { cwd, isTTY: true })
    expect(out).toContain('[U+001B][31mb')
    expect(out).not.toContain(`a${red}b`)
  })

  it('[OS-7] prints what changes, writes it, and reports what is left', async () => {
    const files = {
      'skills/a/SKILL.md': '---\nName: a\ndescription: Mends: bicycles.\n---\n\nDo it.\n',
      'skills/b/SKILL.md': skill('c', 'Bakes bread.'),
    }
    const cwd = temporaryFolder(files)
    const planned = await cli(['validate', '--dry-run'], { cwd })
    expect(planned.out).toContain(
      [
        'a/SKILL.md: yaml-unquoted-colon, field-misspelled',
        '- Name: a',
        '- description: Mends: bicycles.',
        '+ name: a',
        '+ description: "Mends: bicycles."',
        '1 file would be corrected; nothing was written',
      ].join('\n'),
    )
    expect(await contentsOf(cwd)).toEqual(files)

    const done = await cli(['validate', '--fix', '--json'], { cwd })
    expect(done.json()).toMatchObject({
      fixed: [{ path: 'a/SKILL.md' }],
      diagnostics: [{ code: 'name-not-folder' }],
    })
    const fixed = '---\nname: a\ndescription: "Mends: bicycles."\n---\n\nDo it.\n'
    expect(await contentsOf(cwd)).toEqual({ ...files, 'skills/a/SKILL.md': fixed })
    expect((await cli(['validate', '--fix'], { cwd })).out).toMatch(/^Corrected 0 files\n/)
  })

  it('[OS-7] corrects a single skill, and the file that a link leads to', async () => {
    const cwd = temporaryFolder({ 'a/docs/real.md': `\uFEFF${skill('a', 'Mends bicycles.')}` })
    await symlink('docs/real.md', join(cwd, 'a/SKILL.md'))
    await cli(['validate', 'a', '--fix'], { cwd })
    expect(await readFile(join(cwd, 'a/docs/real.md'), 'utf8')).toBe(skill('a', 'Mends bicycles.'))
    expect((await stat(join(cwd, 'a/SKILL.md'))).isFile()).toBe(true)
  })

  it('[TD-2] keeps allowed_tools with --dialect tokendance', async () => {
    const text = tea('allowed_tools: []')
    const cwd = temporaryFolder({ 'tea/SKILL.md': text })
    await cli(['validate', '--fix', '--dialect', 'tokendance'], { cwd })
    expect(await contentsOf(cwd)).toEqual({ 'tea/SKILL.md': text })
  })
})
