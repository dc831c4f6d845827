import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { hostTables } from '../../scripts/host-tables.js'
import { HOSTS } from '../../src/tools/hook/hosts/hosts.js'
import { runHook } from '../../src/tools/hook/run-hook.js'
import { cli, skill, temporaryFolder } from './cli-world.js'

const PAINT = skill('hull-paint', 'Chooses antifouling paint for a boat hull.')
const MESSAGE = 'which antifouling paint for my boat hull'
/** Stands for the home folder in files. */
const HOME = '<home>'

interface Case {
  host: string
  files: Readonly<Record<string, string>>
  env?: Readonly<Record<string, string>>
  /** Below the home folder. */
  cwd?: string
}

/** A project with a repository, and files of the case. */
async function ask({ host, files, env = {}, cwd = 'p' }: Case) {
  const home = temporaryFolder({ 'p/.git/HEAD': 'ref: refs/heads/main' })
  const inHome = (text: string): string => text.replaceAll(HOME, home)
  for (const [path, text] of Object.entries(files)) {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, inHome(text))
  }
  const cache = join(home, 'cache')
  const answer = await runHook(host, JSON.stringify({ prompt: MESSAGE, cwd: join(home, cwd) }), {
    home,
    cache,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inHome(value)])),
  })
  const log = await readFile(join(cache, 'hook.log'), 'utf8').catch(() => '')
  return { answer, log }
}

const json = JSON.stringify
const USER = { '.claude/skills/hull-paint/SKILL.md': PAINT }
const PROJECT = { 'p/.claude/skills/hull-paint/SKILL.md': PAINT }
const claude = (files: Case['files']): Case => ({ host: 'claude-code', files })
const settings = (value: unknown): Case['files'] => ({ '.claude/settings.json': json(value) })
const plugin = (installation: object, id = 'boats@yard'): Case['files'] => ({
  'pl/skills/hull-paint/SKILL.md': PAINT,
  '.claude/plugins/installed_plugins.json': json({
    version: 2,
    plugins: { [id]: [{ scope: 'user', installPath: `${HOME}/pl`, ...installation }] },
  }),
})
const codex = (config: string, files: Case['files'] = {}): Case => ({
  host: 'codex',
  files: { '.codex/skills/hull-paint/SKILL.md': PAINT, '.codex/config.toml': config, ...files },
})
const gemini = (files: Case['files']): Case => ({ host: 'gemini-cli', files })
const GEMINI_USER = { '.gemini/skills/hull-paint/SKILL.md': PAINT }
const GEMINI_PROJECT = { 'p/.gemini/skills/hull-paint/SKILL.md': PAINT }
const EXTENSION = { '.gemini/extensions/boats/skills/hull-paint/SKILL.md': PAINT }
const CODEX_PLUGIN = {
  '.codex/skills/hull-paint/SKILL.md': skill('tea', 'Brews tea.'),
  '.codex/plugins/cache/yard/boats/1.0.0/skills/hull-paint/SKILL.md': PAINT,
}

/** Skills that the host does not offer. */
const OFF: [name: string, one: Case][] = [
  [
    'a disabled plugin',
    claude({ ...plugin({}), ...settings({ enabledPlugins: { 'boats@yard': false } }) }),
  ],
  [
    'a plugin that the project disables',
    claude({
      ...plugin({}),
      'p/.claude/settings.local.json': json({ enabledPlugins: { 'boats@yard': false } }),
    }),
  ],
  [
    'a plugin of another project',
    claude(plugin({ scope: 'project', projectPath: `${HOME}/other` })),
  ],
  [
    'a plugin of another local project',
    claude(plugin({ scope: 'local', projectPath: `${HOME}/other` })),
  ],
  [
    'a plugin that is off by default',
    claude({
      ...plugin({}),
      'pl/.claude-plugin/plugin.json': json({ name: 'boats', defaultEnabled: false }),
    }),
  ],
  [
    'a plugin with a broken manifest',
    claude({ ...plugin({}), 'pl/.claude-plugin/plugin.json': '{"name":' }),
  ],
  [
    'a folder of skills outside of its plugin',
    claude({
      ...plugin({ installPath: `${HOME}/empty` }),
      'empty/.claude-plugin/plugin.json': json({ skills: ['../pl/skills', `${HOME}/pl/skills`] }),
    }),
  ],
  [
    'an override: off',
    claude({ ...USER, ...settings({ skillOverrides: { 'hull-paint': 'off' } }) }),
  ],
  [
    'an override: user-invocable-only',
    claude({ ...USER, ...settings({ skillOverrides: { 'hull-paint': 'user-invocable-only' } }) }),
  ],
  [
    'an override by the name of the folder',
    claude({
      '.claude/skills/painting/SKILL.md': PAINT,
      ...settings({ skillOverrides: { painting: 'off' } }),
    }),
  ],
  [
    'a denied skill',
    claude({ ...USER, ...settings({ permissions: { deny: ['Skill(hull-paint)'] } }) }),
  ],
  [
    'a denied skill with arguments',
    claude({ ...USER, ...settings({ permissions: { deny: ['Skill(hull-paint:*)'] } }) }),
  ],
  [
    'denied skills by their start',
    claude({ ...USER, ...settings({ permissions: { deny: ['Skill(hull-*)'] } }) }),
  ],
  ['all skills denied', claude({ ...USER, ...settings({ permissions: { deny: ['Skill'] } }) })],
  [
    'all skills denied by a star',
    claude({ ...USER, ...settings({ permissions: { deny: ['Skill(*)'] } }) }),
  ],
  [
    'a denied skill of a plugin',
    claude({ ...plugin({}), ...settings({ permissions: { deny: ['Skill(boats:hull-paint)'] } }) }),
  ],
  [
    'a denied skill that the project allows',
    claude({
      ...USER,
      ...settings({ permissions: { deny: ['Skill(hull-paint)'] } }),
      'p/.claude/settings.json': json({ skillOverrides: { 'hull-paint': 'on' } }),
    }),
  ],
  [
    'settings that are broken',
    claude({ ...USER, '.claude/settings.json': '{"permissions": {"deny": [' }),
  ],
  ['settings that are no object', claude({ ...USER, '.claude/settings.json': '[]' })],
  ['a project with broken settings', claude({ ...PROJECT, 'p/.claude/settings.json': '{{' })],
  [
    'a skill that is disabled by its path',
    codex(
      `[[skills.config]]\npath = "${HOME}/.codex/skills/hull-paint/SKILL.md"\nenabled = false\n`,
    ),
  ],
  [
    'a skill that is disabled by its folder',
    codex('[[skills.config]]\npath = "~/.codex/skills/hull-paint"\nenabled = false\n'),
  ],
  [
    'a skill that is disabled by its name',
    codex('[[skills.config]]\nname = "hull-paint"\nenabled = false\n'),
  ],
  [
    'a project without trust',
    codex(`[projects."${HOME}/p"]\ntrust_level = "untrusted"\n`, {
      '.codex/skills/hull-paint/SKILL.md': skill('tea', 'Brews tea.'),
      'p/.agents/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a plugin that Codex disables',
    codex('[plugins."boats@yard"]\nenabled = false\n', CODEX_PLUGIN),
  ],
  ['a plugin that Codex does not know', codex('', CODEX_PLUGIN)],
  ['a configuration that is broken', codex('skills = [')],
  [
    'a disabled skill',
    gemini({
      ...GEMINI_USER,
      '.gemini/settings.json': json({ skills: { disabled: ['Hull-Paint'] } }),
    }),
  ],
  [
    'a skill that the project disables',
    gemini({
      ...GEMINI_USER,
      'p/.gemini/settings.json': json({ skills: { disabled: ['hull-paint'] } }),
    }),
  ],
  [
    'all skills disabled',
    gemini({ ...GEMINI_USER, '.gemini/settings.json': json({ skills: { enabled: false } }) }),
  ],
  [
    'a folder that is not trusted',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'DO_NOT_TRUST' }),
    }),
  ],
  [
    'a folder in one that is not trusted',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/trustedFolders.json': json({
        [HOME]: 'TRUST_FOLDER',
        [`${HOME}/p`]: 'DO_NOT_TRUST',
      }),
    }),
  ],
  [
    'a folder without a rule where trust is demanded',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/settings.json': json({ security: { folderTrust: { enabled: true } } }),
    }),
  ],
  [
    'an extension that is disabled',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/extension-enablement.json': json({ boats: { overrides: ['!/*'] } }),
    }),
  ],
  [
    'an extension that is disabled for the project',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/gemini-extension.json': json({ name: 'ships' }),
      '.gemini/extensions/extension-enablement.json': json({
        ships: { overrides: ['/*', `!${HOME}/p/*`] },
      }),
    }),
  ],
  [
    'a skill that Copilot disables',
    {
      host: 'copilot-cli',
      files: {
        '.copilot/skills/hull-paint/SKILL.md': PAINT,
        '.copilot/settings.json': '// mine\n{"disabledSkills":["hull-paint"],}',
      },
    },
  ],
]

it.each(OFF)('[BY-25] the hook is silent about %s', async (_, one) => {
  expect((await ask(one)).answer).toBe('')
})

/** Skills that the host offers. */
const ON: [name: string, one: Case][] = [
  [
    'settings with comments, a comma at the end and a mark',
    claude({
      ...USER,
      '.claude/settings.json': '\ufeff// mine\n{ "permissions": { "deny": ["Skill(tea)",] }, }',
    }),
  ],
  ['empty settings', claude({ ...USER, '.claude/settings.json': ' \n' })],
  ['settings of comments alone', claude({ ...USER, '.claude/settings.json': '// nothing yet\n' })],
  [
    'an override: name-only',
    claude({ ...USER, ...settings({ skillOverrides: { 'hull-paint': 'name-only' } }) }),
  ],
  [
    'an override that the project takes back',
    claude({
      ...USER,
      ...settings({ skillOverrides: { 'hull-paint': 'off' } }),
      'p/.claude/settings.json': json({ skillOverrides: { 'hull-paint': 'on' } }),
    }),
  ],
  [
    'an override of a plugin with a skill of that name',
    claude({ ...plugin({}), ...settings({ skillOverrides: { 'hull-paint': 'off' } }) }),
  ],
  [
    'broken settings of a project, and the user',
    claude({ ...USER, 'p/.claude/settings.json': '{{' }),
  ],
  ['a plugin of this project', claude(plugin({ scope: 'project', projectPath: `${HOME}/p` }))],
  [
    'a manifest that names another folder',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/.claude-plugin/plugin.json': json({ name: 'boats', skills: './agent/skills/' }),
      'pl2/agent/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a manifest that names the folder of a skill',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/.claude-plugin/plugin.json': json({ name: 'boats', skills: ['./hull-paint'] }),
      'pl2/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'CLAUDE_CONFIG_DIR',
    {
      ...claude({ 'cfg/skills/hull-paint/SKILL.md': PAINT }),
      env: { CLAUDE_CONFIG_DIR: `${HOME}/cfg` },
    },
  ],
  ['a skill.md in small letters', claude({ '.claude/skills/hull-paint/skill.md': PAINT })],
  ['a folder above, in the repository', { ...claude(PROJECT), cwd: 'p' }],
  [
    'CODEX_HOME',
    {
      host: 'codex',
      files: { 'cfg/skills/hull-paint/SKILL.md': PAINT },
      env: { CODEX_HOME: `${HOME}/cfg` },
    },
  ],
  [
    'a rule that is taken back',
    codex(
      '[[skills.config]]\nname = "hull-paint"\nenabled = false\n[[skills.config]]\nname = "hull-paint"\nenabled = true\n',
    ),
  ],
  ['a plugin that Codex enables', codex('[plugins."boats@yard"]\nenabled = true\n', CODEX_PLUGIN)],
  ['a SKILL.md in the folder of skills', gemini({ 'p/.gemini/skills/SKILL.md': PAINT })],
  [
    'a trusted folder',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/settings.json': json({ security: { folderTrust: { enabled: true } } }),
      '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'TRUST_FOLDER' }),
    }),
  ],
  [
    'a folder whose parent is trusted',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/settings.json': json({ security: { folderTrust: { enabled: true } } }),
      '.gemini/trustedFolders.json': json({ [`${HOME}/other`]: 'TRUST_PARENT' }),
    }),
  ],
  [
    'an extension that is disabled elsewhere',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/extension-enablement.json': json({
        boats: { overrides: [`!${HOME}/other/*`] },
      }),
    }),
  ],
  [
    'COPILOT_HOME',
    {
      host: 'copilot-cli',
      files: { 'cfg/skills/hull-paint/SKILL.md': PAINT },
      env: { COPILOT_HOME: `${HOME}/cfg` },
    },
  ],
]

it.each(ON)('[BY-25] the hook offers the skill with %s', async (_, one) => {
  const { answer, log } = await ask(one)
  expect([answer, log]).toEqual([expect.stringContaining('hull-paint'), expect.any(String)])
})

it('[BY-25] settings that cannot be read are named in the log', async () => {
  const { log } = await ask(claude({ ...USER, '.claude/settings.json': '{"permissions"' }))
  expect(log).toMatch(/\.claude\/settings\.json cannot be read.*mend them/)
})

it('[BY-25] a skill that is switched off takes no part in the scores of others', async () => {
  const twin = {
    '.claude/skills/hull-paint-2/SKILL.md': skill(
      'hull-paint-2',
      'Chooses antifouling paint for a boat hull.',
    ),
  }
  const off = settings({ skillOverrides: { 'hull-paint-2': 'off' } })
  expect((await ask(claude({ ...USER, ...twin, ...off }))).answer).toContain('<matching_skills>')
})

it('[BY-25] folders above are read in a repository only, and only if nobody else can write there', async () => {
  const planted = temporaryFolder({
    '.claude/skills/hull-paint/SKILL.md': PAINT,
    'job/notes.md': '',
    'repo/.git/HEAD': '',
    'repo/.claude/skills/hull-paint/SKILL.md': PAINT,
    'repo/deep/er/notes.md': '',
  })
  const home = temporaryFolder({ 'x/notes.md': '' })
  const at = (cwd: string): Promise<string> =>
    runHook('claude-code', json({ prompt: MESSAGE, cwd: join(planted, cwd) }), {
      home,
      env: {},
      cache: join(home, 'cache'),
    })
  expect(await at('job')).toBe('')
  expect(await at('repo/deep/er')).toContain('hull-paint')
  chmodSync(join(planted, 'repo'), 0o777)
  expect(await at('repo/deep/er')).toBe('')
})

it.each([
  ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json'],
  ['codex', 'CODEX_HOME', 'hooks.json'],
  ['gemini-cli', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['copilot-cli', 'COPILOT_HOME', 'hooks/skillshelf.json'],
])('[BY-25] hook install %s writes where %s says', async (host, variable, file) => {
  const home = temporaryFolder({ 'cfg/notes.md': '' })
  const env = { HOME: home, [variable]: join(home, 'cfg') }
  await cli(['hook', 'install', host, '--yes'], { cwd: home, env })
  expect(await readFile(join(home, 'cfg', file), 'utf8')).toContain('main.cjs')
})

it('[BY-25] docs/hosts.md has the table of hosts', async () => {
  const docs = await readFile(new URL('../../docs/hosts.md', import.meta.url), 'utf8')
  expect(docs).toContain(hostTables())
  for (const host of Object.values(HOSTS)) expect(host.lookedUp).toMatch(/^\d{4}-\d\d-\d\d$/)
})
