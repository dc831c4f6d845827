import { readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSkill } from '../../src/skill/parse.js'
import { fixSkill } from '../../src/tools/cli/validate-fix.js'
import { cli, contentsOf, skill, temporaryFolder } from './cli-world.js'

const FIELDS = 'name: tea\ndescription: Makes tea.'
const RIGHT = `---\n${FIELDS}\n---\n\nBoil water.\n`
const BODY = '\nBoil water.\n'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const fix = async (text: string | Uint8Array): Promise<string | undefined> =>
  (await fixSkill(typeof text === 'string' ? bytes(text) : text, 'tea'))?.after

describe('skillshelf validate --fix', () => {
  const tea = (line: string, body = BODY): string => `---\n${FIELDS}\n${line}\n---\n${body}`
  const told = (description: string): string => `---\nname: tea\ndescription: ${description}\n---\n${BODY}`

  it.each<[string, string, string]>([
    ['a byte order mark', `\uFEFF${RIGHT}`, RIGHT],
    ['CRLF', RIGHT.replaceAll('\n', '\r\n'), RIGHT],
    ['the case of keys', RIGHT.replace('name', 'Name').replace('description', 'Description'), RIGHT],
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
    expect(done.json()).toMatchObject({ fixed: [{ path: 'a/SKILL.md' }], diagnostics: [{ code: 'name-not-folder' }] })
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
