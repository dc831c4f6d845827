import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import * as ownDialects from '../../src/exports/dialects.js'
import { type LocalLibrary, openLibrary } from '../../src/exports/index.js'
import { llmRerank } from '../../src/exports/match.js'
import { createMcpServer } from '../../src/exports/mcp.js'
import * as sessions from '../../src/exports/session.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { cli, temporaryFolder } from './cli-world.js'

/** One character of each class that leaves no mark. */
const HIDDEN =
  '\u0007\u001b\u007f\u009b\u00ad\u061c\u200b\u200c\u200d\u200e\u2028\u202e\u2060\u2066\u3164\ufe0f\ufeff\u{e0041}\u{e0101}'
const FOUND =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}/u
/** File names with characters that paths may have. */
const IN_PATH = '\u200b\u202e\u{e0041}\ufe0f'
const evil = (word: string): string => `${word}${HIDDEN}${word}`
const yaml = (text: string): string =>
  `"${[...text].map(one => `\\U${(one.codePointAt(0) as number).toString(16).padStart(8, '0')}`).join('')}"`

const BODY = 'Draw with care.\n'
const SKILL = `---
name: ${yaml(evil('paint'))}
display_name: ${yaml(evil('Painter'))}
description: ${yaml(evil('Paints walls.'))}
when_to_use: ${yaml(evil('For walls.'))}
version: ${yaml(evil('1'))}
author: ${yaml(evil('Ann'))}
license: ${yaml(evil('MIT'))}
tags: [${yaml(evil('walls'))}]
allowed_tools: [${yaml(evil('brush'))}]
${evil('unknown')}: x
---
${BODY}`
const PLAIN = '---\nname: brew\ndescription: Brews tea.\n---\nBoil water.\n'
const PATHS = ['references', 'scripts', 'assets', 'resources'].map(
  folder => `${folder}/a${IN_PATH}.md`,
)
const FOLDER = `paint${IN_PATH}er`
const FILES = {
  [`${FOLDER}/SKILL.md`]: SKILL,
  ...Object.fromEntries(PATHS.map(path => [`${FOLDER}/${path}`, 'plain text'])),
  [`${FOLDER}/assets/b${IN_PATH}.bin`]: Uint8Array.of(0, 255, 1),
  'brew/SKILL.md': PLAIN,
}
const NONE = `none${HIDDEN}`

/** Every string in a value, keys included. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => [key, ...strings(one)])
}
function expectVisible(where: string, value: unknown): void {
  for (const text of strings({ value }))
    expect([where, text, FOUND.exec(text)?.[0]]).toEqual([where, text, undefined])
}
async function opened(): Promise<{ library: LocalLibrary; id: string; name: string }> {
  const library = await openLibrary(FILES)
  const skill = library.snapshot.skills.find(({ path }) => path === FOLDER)
  if (!skill) throw new Error('the skill is not there')
  expect(skill.name).toMatch(FOUND)
  return { library, id: skill.id, name: skill.name }
}

const inputs = (id: string, name: string): Record<string, unknown[]> => {
  const names = [id, name, NONE, '']
  const [reference, script, asset, resource] = PATHS as [string, string, string, string]
  const files = [reference, script, asset, resource, NONE, '../x', `assets/b${IN_PATH}.bin`]
  const pairs = (skill: string, path: string) =>
    names.flatMap(one => files.map(file => ({ [skill]: one, [path]: file })))
  const short = (path: string): string => path.slice(path.indexOf('/') + 1)
  return {
    search_skills: [{ query: 'paint walls' }, { query: NONE }, {}],
    load_skill: names.flatMap(one => [{ skill: one }, { skill_name: one }]),
    read_skill_file: pairs('skill', 'path'),
    unload_skill: names.flatMap(one => [{ skill: one }, { skill: one }]),
    load_skill_asset: pairs('skill_name', 'relative_path'),
    get_skill_script_path: names.flatMap(skill_name =>
      [script, NONE].map(path => ({ skill_name, script_name: short(path) })),
    ),
    list_skill_assets: names.map(one => ({ skill_name: one })),
    skill_request: names.map(one => ({ skill_name: one })),
    file_read: [...files.map(file => ({ file })), { file: `skill://files/${FOLDER}/${reference}` }],
    load_l2: names.map(one => ({ skill_id: one })),
    load_l3_resource: names.flatMap(one =>
      [resource, NONE].map(path => ({ skill_id: one, resource_path: short(path) })),
    ),
    get_resource_path: names.flatMap(one =>
      [resource, NONE].map(path => ({ skill_id: one, resource_name: short(path) })),
    ),
    load_skill_reference: pairs('skill', 'file'),
    skill: names.map(one => ({ skill: one })),
  }
}

describe('[BY-9] hidden characters in names, descriptions, tags and paths of a skill', () => {
  const { callTool, createSession } = sessions
  const { agentCore, manusX, omniEmployee, openseed, tokenDance } = ownDialects
  const dialects = [undefined, openseed, manusX, tokenDance, omniEmployee, agentCore]
  it.each(dialects.map(one => [one?.name ?? 'skillshelf', one] as const))(
    'are shown in prompts and tool results: %s',
    async (_, dialect) => {
      const { library, id, name } = await opened()
      const session = createSession(library, { ...(dialect ? { dialect } : {}) })
      let shown = ''
      for (const tool of session.tools()) {
        expectVisible(`description of ${tool.name}`, tool.description)
        const cases = inputs(id, name)[tool.name]
        expect([tool.name, cases?.length]).toEqual([tool.name, expect.any(Number)])
        for (const input of cases ?? []) {
          const { text, data } = await callTool(session, tool.name, input)
          expectVisible(`${tool.name} ${JSON.stringify(input)}`, { text, data })
          shown += text
        }
      }
      expectVisible('a skill as a tool', await callTool(session, name, {}))
      expectVisible('an unknown tool', await callTool(session, NONE, {}))
      await session.load(id)
      const turn = await session.prepare('paint the walls')
      expectVisible('prepare', [turn.system, turn.tail])
      const lost = session.rehydrate([])
      expectVisible('rehydrate', lost.text)
      expect(`${shown}${turn.system}`).toMatch(/\[U\+202E\]|\\u202e/)
    },
  )

  it('are shown in the prompt of llmRerank', async () => {
    let prompt = ''
    const rerank = llmRerank(async text => {
      prompt = text
      return '1'
    })
    const other = SKILL.replace('Draw', 'Paint walls')
    await using library = await openLibrary({ ...FILES, 'other/SKILL.md': other }, { rerank })
    await library.match('paint walls', { threshold: 0 })
    expect(prompt).toContain('User message')
    expectVisible('rerank', prompt)
  })

  it('are shown in MCP results', async () => {
    const { library, id, name } = await opened()
    const [near, far] = InMemoryTransport.createLinkedPair()
    await createMcpServer(library).connect(far)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(near)
    expectVisible('instructions', client.getInstructions())
    const { prompts } = await client.listPrompts()
    const { resources } = await client.listResources()
    expectVisible('lists', [await client.listTools(), prompts, resources])
    expect(JSON.stringify([prompts, resources])).toContain('[U+202E]')
    for (const prompt of prompts)
      expectVisible('prompt', await client.getPrompt({ name: prompt.name }))
    for (const uri of resources.map(one => one.uri)) {
      const { contents } = await client.readResource({ uri })
      for (const { uri, mimeType } of contents) expectVisible('resource', [uri, mimeType])
    }
    for (const [tool, cases] of Object.entries(inputs(id, name))) {
      if (['search_skills', 'load_skill', 'read_skill_file', 'unload_skill'].includes(tool)) {
        for (const input of cases)
          expectVisible(
            tool,
            await client.callTool({ name: tool, arguments: input as Record<string, unknown> }),
          )
      }
    }
    const failures: unknown[] = await Promise.all([
      client.getPrompt({ name: NONE }).catch(error => error.message),
      client.callTool({ name: NONE, arguments: {} }).catch(error => error.message),
    ])
    expectVisible('errors', failures)
    await client.close()
  })

  it('are shown by every command', async () => {
    const cwd = temporaryFolder(
      Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`skills/${path}`, text])),
    )
    await writeFile(
      join(cwd, 'skills', FOLDER, 'triggers.yaml'),
      `- message: ${yaml(evil('boil water'))}\n- oops\n`,
    )
    const { address } = await startPublishServer()
    const name = evil('paint')
    const plain = [
      'list',
      'list --json',
      'validate --all',
      'validate --all --strict',
      'validate --json',
      'test',
    ]
    const others = [
      'test --json',
      'pack --out out',
      'pack --out out2 --json --strict',
      'sweep out --json',
    ]
    const commands: string[][] = [
      ...[...plain, ...others].map(command => command.split(' ')),
      ['list', '--tag', NONE],
      ['match', 'paint walls'],
      ['match', 'paint walls', '--json'],
      ['match', 'zzz', '--tag', NONE],
      ['show', name],
      ['show', name, '--json'],
      ['show', name, '--file', PATHS[0] as string],
      ['show', name, '--file', PATHS[0] as string, '--json'],
      ['show', name, '--file', `assets/b${IN_PATH}.bin`],
      ['show', name, '--file', NONE, '--debug'],
      ['show', NONE, '--debug'],
      ['publish', '--to', address, '--dry-run'],
      ['publish', '--to', address],
      ['new', NONE],
      [NONE],
      ['list', `--${NONE}`],
      ['list', '--skills', NONE, '--debug'],
    ]
    for (const argv of commands) {
      for (const isTTY of [false, true]) {
        const { out, err } = await cli(argv, { cwd, isTTY, env: { SKILLSHELF_TOKEN: TOKEN } })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control sequences
        const shown = `${out}${err}`.replace(isTTY ? /\u001b\[\d+m/g : /^$/, '')
        expect([argv, shown.length > 0]).toEqual([argv, true])
        expectVisible(argv.join(' '), shown)
      }
    }
    expect((await cli(['pack', '--out', 'seg', '--json'], { cwd })).json().summary.skills).toBe(2)
  })
})
