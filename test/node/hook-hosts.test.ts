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
  const home = temporaryFolder('p/.git' in files ? {} : { 'p/.git/HEAD': 'ref: refs/heads/main' })
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
    system: join(home, 'system'),
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
const copilot = (files: Case['files'], env: Case['env'] = {}): Case => ({
  host: 'copilot-cli',
  files,
  env,
})
const COPILOT_USER = { '.copilot/skills/hull-paint/SKILL.md': PAINT }
const TEA = skill('tea', 'Brews tea.')
const MANAGED = 'system/etc/claude-code'
const GEMINI_SYSTEM = 'system/etc/gemini-cli'
const WORKTREE = { 'p/.git': `gitdir: ${HOME}/main/.git/worktrees/p\n`, 'main/.git/HEAD': 'ref: x' }
/** A plugin in the folder of its marketplace, which lists skills of it. */
const marketplace = (entry: object): Case['files'] => ({
  '.claude/plugins/marketplaces/yard/.claude-plugin/marketplace.json': json({
    name: 'yard',
    plugins: [{ name: 'tea-only' }, { name: 'boats', source: './', ...entry }],
  }),
})
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
  ...['[]', 'null', 'on', '}', '/* not closed', '# a note', '<settings/>', '{} {}', '\0'].map(
    (text): [string, Case] => [
      `settings that are no object: ${json(text)}`,
      claude({ ...USER, '.claude/settings.json': text }),
    ],
  ),
  [
    'a project with settings that are too large',
    claude({ ...PROJECT, 'p/.claude/settings.json': `{}${' '.repeat(300_000)}` }),
  ],
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

  // Settings of Claude Code and their precedence.
  [
    'a skill that local settings deny',
    claude({
      ...USER,
      'p/.claude/settings.local.json': json({ permissions: { deny: ['Skill(hull-paint)'] } }),
    }),
  ],
  [
    'an override of the user that shared settings do not mention',
    claude({
      ...PROJECT,
      ...settings({ skillOverrides: { 'hull-paint': 'off' } }),
      'p/.claude/settings.json': json({ skillOverrides: { tea: 'on' } }),
    }),
  ],
  [
    'an override of local settings over shared ones',
    claude({
      ...PROJECT,
      'p/.claude/settings.json': json({ skillOverrides: { 'hull-paint': 'on' } }),
      'p/.claude/settings.local.json': json({ skillOverrides: { 'hull-paint': 'off' } }),
    }),
  ],
  [
    'local settings at the top over shared ones below',
    {
      ...claude({
        ...PROJECT,
        'p/app/x': '',
        'p/.claude/settings.local.json': json({ skillOverrides: { 'hull-paint': 'off' } }),
        'p/app/.claude/settings.json': json({ skillOverrides: { 'hull-paint': 'on' } }),
      }),
      cwd: 'p/app',
    },
  ],
  [
    'local settings of the main checkout in a worktree',
    claude({
      ...WORKTREE,
      ...PROJECT,
      'main/.claude/settings.local.json': json({ skillOverrides: { 'hull-paint': 'off' } }),
    }),
  ],
  [
    'local settings of the home folder in it',
    {
      ...claude({
        ...USER,
        '.claude/settings.local.json': json({ permissions: { deny: ['Skill(hull-paint)'] } }),
      }),
      cwd: '.',
    },
  ],
  [
    'an override of an administrator',
    claude({
      ...USER,
      ...settings({ skillOverrides: { 'hull-paint': 'on' } }),
      'p/.claude/settings.local.json': json({ skillOverrides: { 'hull-paint': 'on' } }),
      [`${MANAGED}/managed-settings.json`]: json({ skillOverrides: { 'hull-paint': 'off' } }),
    }),
  ],
  [
    'a rule of an administrator in a part',
    claude({
      ...USER,
      [`${MANAGED}/managed-settings.d/20-skills.json`]: json({
        permissions: { deny: ['Skill(hull-*)'] },
      }),
    }),
  ],
  [
    'a plugin that an administrator disables',
    claude({
      ...plugin({}),
      ...settings({ enabledPlugins: { 'boats@yard': true } }),
      [`${MANAGED}/managed-settings.json`]: json({ enabledPlugins: { 'boats@yard': false } }),
    }),
  ],
  [
    'broken settings of an administrator',
    claude({ ...USER, [`${MANAGED}/managed-settings.json`]: '{' }),
  ],
  [
    'a part of an administrator wins over the file',
    claude({
      ...USER,
      [`${MANAGED}/managed-settings.json`]: json({ skillOverrides: { 'hull-paint': 'on' } }),
      [`${MANAGED}/managed-settings.d/10.json`]: json({ skillOverrides: { 'hull-paint': 'off' } }),
    }),
  ],
  [
    'skills that may come from plugins alone',
    claude({
      ...USER,
      [`${MANAGED}/managed-settings.json`]: json({ strictPluginOnlyCustomization: ['skills'] }),
    }),
  ],
  [
    'customization that may come from plugins alone',
    claude({
      ...PROJECT,
      [`${MANAGED}/managed-settings.json`]: json({ strictPluginOnlyCustomization: true }),
    }),
  ],
  [
    'skills of the account that are off',
    claude({
      '.claude/skills/synced/hull-paint/SKILL.md': PAINT,
      ...settings({ syncClaudeAiSkills: false }),
    }),
  ],
  [
    'a plugin in a folder of skills that is disabled',
    claude({
      '.claude/skills/boats/.claude-plugin/plugin.json': json({ name: 'boats' }),
      '.claude/skills/boats/skills/hull-paint/SKILL.md': PAINT,
      ...settings({ enabledPlugins: { 'boats@skills-dir': false } }),
    }),
  ],
  [
    'a plugin of another name in a folder of skills that is disabled',
    claude({
      '.claude/skills/folder/.claude-plugin/plugin.json': json({ name: 'boats' }),
      '.claude/skills/folder/SKILL.md': PAINT,
      ...settings({ enabledPlugins: { 'boats@skills-dir': false } }),
    }),
  ],
  [
    'a denied skill of a plugin in a folder of skills',
    claude({
      '.claude/skills/boats/.claude-plugin/plugin.json': json({ name: 'boats' }),
      '.claude/skills/boats/skills/hull-paint/SKILL.md': PAINT,
      ...settings({ permissions: { deny: ['Skill(boats:hull-paint)'] } }),
    }),
  ],
  ...[
    'Skill(boats:*)',
    'Skill(boats:* )',
    'Skill(boats:hull-*)',
    'Skill(b*:h*l-*t)',
    'Skill( boats:hull-paint )',
    'Skill(boats:hull-paint *)',
    'Skill(boats:hull-paint:*)',
    '*',
    'Skill()',
    'Skill(*)',
    'Ski*',
    'skill(hull-paint)',
    'Skill(/hull-paint)',
    'Skill("hull-paint")',
    'Skill(skill:hull-paint)',
    'Skill(skill: hull-*)',
    ' Skill(hull-paint) ',
  ].map((rule): [string, Case] => [
    `a plugin with the rule ${rule}`,
    claude({ ...plugin({}), ...settings({ permissions: { deny: ['Bash(rm *)', rule] } }) }),
  ]),
  [
    'a rule that is no list',
    claude({ ...USER, ...settings({ permissions: { deny: 'Skill(hull-paint)' } }) }),
  ],
  [
    'an override of a skill of a plugin',
    claude({ ...plugin({}), ...settings({ skillOverrides: { 'boats:hull-paint': 'off' } }) }),
  ],
  [
    'an override that is no word',
    claude({ ...USER, ...settings({ skillOverrides: { 'hull-paint': false } }) }),
  ],
  ...[
    { skillOverrides: ['hull-paint'] },
    { permissions: ['Skill(hull-paint)'] },
    { enabledPlugins: ['boats@yard'] },
    { permissions: 'Skill' },
  ].map((value): [string, Case] => [
    `settings of another form: ${json(value)}`,
    claude({ ...USER, ...settings(value) }),
  ]),
  [
    'settings of another form in a project',
    claude({ ...PROJECT, 'p/.claude/settings.json': json({ skillOverrides: ['hull-paint'] }) }),
  ],
  ['UTF-16 settings', claude({ ...USER, '.claude/settings.json': '\ufffd\ufffd{\u0000}\u0000' })],
  // Plugins of Claude Code.
  [
    'a plugin of a folder above that is no project',
    claude({ ...plugin({ scope: 'project', projectPath: HOME }) }),
  ],
  ['a plugin of the project without a path', claude(plugin({ scope: 'project' }))],
  [
    'a plugin that is enabled for a version',
    claude({ ...plugin({}), ...settings({ enabledPlugins: { 'boats@yard': ['1.0.0'] } }) }),
  ],
  [
    'a plugin that its marketplace turns off',
    claude({ ...plugin({}), ...marketplace({ defaultEnabled: false }) }),
  ],
  [
    'a skill that the marketplace does not list for its plugin',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/skills/hull-paint/SKILL.md': PAINT,
      'pl2/skills/tea/SKILL.md': TEA,
      ...marketplace({ strict: false, skills: ['./skills/tea'] }),
    }),
  ],
  [
    'a SKILL.md at the top of a plugin with a folder of skills',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/SKILL.md': PAINT,
      'pl2/skills/tea/SKILL.md': TEA,
    }),
  ],
  [
    'a path in a manifest that leaves the plugin',
    claude({
      ...plugin({ installPath: `${HOME}/empty` }),
      'empty/.claude-plugin/plugin.json': json({ skills: './a/../../pl/skills' }),
    }),
  ],
  [
    'broken manifest in a marketplace',
    claude({
      ...plugin({}),
      '.claude/plugins/marketplaces/yard/.claude-plugin/marketplace.json': '{',
    }),
  ],
  // The environment.
  ...['cfg', './cfg', '~/cfg', '~'].flatMap((value): [string, Case][] => [
    [
      `CLAUDE_CONFIG_DIR=${value}`,
      {
        ...claude({ ...USER, 'cfg/skills/hull-paint/SKILL.md': PAINT }),
        env: { CLAUDE_CONFIG_DIR: value },
      },
    ],
    [
      `CODEX_HOME=${value}`,
      { ...codex('', { 'cfg/skills/hull-paint/SKILL.md': PAINT }), env: { CODEX_HOME: value } },
    ],
    [
      `GEMINI_CLI_HOME=${value}`,
      {
        ...gemini({ ...GEMINI_USER, 'cfg/.gemini/skills/hull-paint/SKILL.md': PAINT }),
        env: { GEMINI_CLI_HOME: value },
      },
    ],
    [
      `COPILOT_HOME=${value}`,
      copilot(
        { ...COPILOT_USER, 'cfg/skills/hull-paint/SKILL.md': PAINT },
        { COPILOT_HOME: value },
      ),
    ],
  ]),
  [
    'settings of CLAUDE_CONFIG_DIR',
    {
      ...claude({
        'cfg/skills/hull-paint/SKILL.md': PAINT,
        'cfg/settings.json': json({ skillOverrides: { 'hull-paint': 'off' } }),
      }),
      env: { CLAUDE_CONFIG_DIR: `${HOME}/cfg` },
    },
  ],
  [
    'skills of the user beside CLAUDE_CONFIG_DIR',
    {
      ...claude({ ...USER, 'cfg/settings.json': '{}' }),
      env: { CLAUDE_CONFIG_DIR: `${HOME}/cfg` },
    },
  ],
  [
    'plugins beside CLAUDE_CODE_PLUGIN_CACHE_DIR',
    { ...claude(plugin({})), env: { CLAUDE_CODE_PLUGIN_CACHE_DIR: `${HOME}/plugins` } },
  ],
  // Codex.
  [
    'a skill that is disabled by a path from the settings',
    codex('[[skills.config]]\npath = "skills/hull-paint/SKILL.md"\nenabled = false\n'),
  ],
  [
    'a skill that is disabled by a path with a link',
    codex(
      `[[skills.config]]\npath = "${HOME}/.codex/skills/../skills/hull-paint/"\nenabled = false\n`,
    ),
  ],
  [
    'a skill that is disabled by a name with spaces',
    codex('[[skills.config]]\nname = " hull-paint "\nenabled = false\n'),
  ],
  [
    'a skill that is disabled by path and name',
    codex(
      `[[skills.config]]\npath = "${HOME}/.codex/skills/hull-paint/SKILL.md"\nname = "hull-paint"\nenabled = false\n`,
    ),
  ],
  [
    'a skill that one rule for both path and name enables',
    codex(
      `[[skills.config]]\nname = "hull-paint"\nenabled = false\n[[skills.config]]\npath = "${HOME}/.codex/skills/hull-paint/SKILL.md"\nname = "hull-paint"\nenabled = true\n`,
    ),
  ],
  ['a rule that does not say whether', codex('[[skills.config]]\nname = "hull-paint"\n')],
  ['a rule that is no list', codex('[skills.config]\nname = "hull-paint"\nenabled = false\n')],
  [
    'a skill of a plugin that is disabled by its name',
    codex(
      '[plugins."boats@yard"]\n[[skills.config]]\nname = "boats:hull-paint"\nenabled = false\n',
      CODEX_PLUGIN,
    ),
  ],
  [
    'a skill that the model may not open by itself',
    codex('', {
      '.codex/skills/hull-paint/agents/openai.yaml':
        'policy:\n  allow_implicit_invocation: false\n',
    }),
  ],
  [
    'a skill of the project that the model may not open by itself',
    codex('', {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      'p/.agents/skills/hull-paint/SKILL.md': PAINT,
      'p/.agents/skills/hull-paint/agents/openai.yaml':
        'interface: {display_name: "Paint"}\npolicy: {allow_implicit_invocation: false}\n',
    }),
  ],
  [
    'plugins that are off',
    codex('[features]\nplugins = false\n[plugins."boats@yard"]\nenabled = true\n', CODEX_PLUGIN),
  ],
  [
    'an older version of a plugin',
    codex('[plugins."boats@yard"]\n', {
      ...CODEX_PLUGIN,
      '.codex/plugins/cache/yard/boats/1.0.0/skills/hull-paint/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/1.10.0/skills/tea/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/1.9.0/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a prerelease of a plugin',
    codex('[plugins."boats@yard"]\n', {
      ...CODEX_PLUGIN,
      '.codex/plugins/cache/yard/boats/1.0.0/skills/hull-paint/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/1.0.0-beta.2/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'skills of Codex that are off',
    codex('[skills.bundled]\nenabled = false\n', {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      '.codex/skills/.system/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a main checkout without trust, in a worktree',
    codex(`[projects."${HOME}/main"]\ntrust_level = "untrusted"\n`, {
      ...WORKTREE,
      '.codex/skills/hull-paint/SKILL.md': TEA,
      'p/.agents/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  ['an inline table of skills that is none', codex('skills = "none"\n')],
  // Gemini CLI.
  [
    'a skill that an administrator disables',
    gemini({
      ...GEMINI_USER,
      [`${GEMINI_SYSTEM}/settings.json`]: json({ skills: { disabled: ['hull-paint'] } }),
    }),
  ],
  [
    'a skill that the defaults disable',
    gemini({
      ...GEMINI_USER,
      [`${GEMINI_SYSTEM}/system-defaults.json`]: json({ skills: { disabled: ['hull-paint'] } }),
    }),
  ],
  [
    'skills that an administrator disables and the user enables',
    gemini({
      ...GEMINI_USER,
      '.gemini/settings.json': json({ skills: { enabled: true } }),
      [`${GEMINI_SYSTEM}/settings.json`]: json({ skills: { enabled: false } }),
    }),
  ],
  [
    'extensions that an administrator disables',
    gemini({
      ...EXTENSION,
      [`${GEMINI_SYSTEM}/settings.json`]: json({ admin: { extensions: { enabled: false } } }),
    }),
  ],
  [
    'settings of GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    {
      ...gemini({ ...GEMINI_USER, 'sys.json': json({ skills: { disabled: ['hull-paint'] } }) }),
      env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${HOME}/sys.json` },
    },
  ],
  [
    'skills that the project disables',
    gemini({ ...GEMINI_USER, 'p/.gemini/settings.json': json({ skills: { enabled: false } }) }),
  ],
  [
    'a disabled skill with a colon in its name',
    gemini({
      '.gemini/skills/x/SKILL.md': skill(
        'boats:hull-paint',
        'Chooses antifouling paint for a boat hull.',
      ),
      '.gemini/settings.json': json({ skills: { disabled: ['boats-hull-paint'] } }),
    }),
  ],
  [
    'a disabled skill that is no list',
    gemini({
      ...GEMINI_USER,
      '.gemini/settings.json': json({ skills: { disabled: 'hull-paint' } }),
    }),
  ],
  [
    'disabled skills of another form',
    gemini({ ...GEMINI_USER, '.gemini/settings.json': json({ skills: ['hull-paint'] }) }),
  ],
  [
    'a folder above the current one',
    { ...gemini({ ...GEMINI_PROJECT, 'p/app/x': '' }), cwd: 'p/app' },
  ],
  [
    'a folder that is not trusted beside one whose parent is',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/trustedFolders.json': json({
        [`${HOME}/other-project`]: 'TRUST_PARENT',
        [`${HOME}/p`]: 'DO_NOT_TRUST',
      }),
    }),
  ],
  [
    'a folder with two rules',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/trustedFolders.json': json({
        [`${HOME}/p`]: 'DO_NOT_TRUST',
        [`${HOME}/p/`]: 'TRUST_FOLDER',
      }),
    }),
  ],
  [
    'a parent that is not trusted',
    gemini({ ...GEMINI_PROJECT, '.gemini/trustedFolders.json': json({ [HOME]: 'DO_NOT_TRUST' }) }),
  ],
  [
    'a rule that is no level',
    gemini({ ...GEMINI_PROJECT, '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'YES' }) }),
  ],
  [
    'a folder without trust in the environment',
    {
      ...gemini({
        ...GEMINI_PROJECT,
        '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'TRUST_FOLDER' }),
      }),
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' },
    },
  ],
  [
    'a trusted sibling where trust is demanded by an administrator',
    gemini({
      ...GEMINI_PROJECT,
      [`${GEMINI_SYSTEM}/settings.json`]: json({ security: { folderTrust: { enabled: true } } }),
      '.gemini/trustedFolders.json': json({ [`${HOME}/p2`]: 'TRUST_FOLDER' }),
    }),
  ],
  ['broken trust', gemini({ ...GEMINI_PROJECT, '.gemini/trustedFolders.json': '{' })],
  ...['!*', '!/*', `!${HOME}/p/*`, `!${HOME}/p/`, `!${HOME}/p`, `!${HOME}/*`, '!*/p/*'].map(
    (rule): [string, Case] => [
      `an extension with the rule ${rule}`,
      gemini({
        ...EXTENSION,
        '.gemini/extensions/extension-enablement.json': json({
          boats: { overrides: ['/*', rule] },
        }),
      }),
    ],
  ),
  [
    'an extension that another rule enables without a slash',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/extension-enablement.json': json({
        boats: { overrides: ['!/*', `${HOME}/p`] },
      }),
    }),
  ],
  [
    'an extension that is not allowed',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'git',
        source: 'https://example.com/boats',
      }),
      '.gemini/settings.json': json({
        security: { allowedExtensions: ['^https://github.com/yard/'] },
      }),
    }),
  ],
  [
    'extensions of a project with patterns, which may take minutes',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'git',
        source: `https://example.com/${'a'.repeat(60)}`,
      }),
      'p/.gemini/settings.json': json({
        security: { allowedExtensions: ['^https://example.com/(a+)+b'] },
      }),
    }),
  ],
  [
    'an extension from Git where that is blocked',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'git',
        source: 'https://example.com/boats',
      }),
      '.gemini/settings.json': json({ security: { blockGitExtensions: true } }),
    }),
  ],
  [
    'an extension that was linked',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'link',
        source: `${HOME}/dev`,
      }),
      'dev/gemini-extension.json': json({ name: 'boats' }),
      'dev/skills/tea/SKILL.md': TEA,
    }),
  ],
  // Copilot CLI.
  [
    'a skill that the repository disables',
    copilot({
      ...COPILOT_USER,
      'p/.github/copilot/settings.json': json({ disabledSkills: ['hull-paint'] }),
    }),
  ],
  [
    'a skill that local settings disable',
    copilot({
      ...COPILOT_USER,
      'p/.github/copilot/settings.local.json': json({ disabledSkills: ['hull-paint'] }),
    }),
  ],
  [
    'a skill that the first settings file disables',
    copilot({ ...COPILOT_USER, '.copilot/config.json': '{"disabledSkills":["hull-paint"]}' }),
  ],
  [
    'a folder that is ignored',
    copilot({
      ...COPILOT_USER,
      '.copilot/settings.json': json({ ignoredSkillsLocations: ['~/.copilot/skills'] }),
    }),
  ],
  [
    'a folder above that is ignored',
    copilot({
      'p/.claude/skills/hull-paint/SKILL.md': PAINT,
      '.copilot/settings.json': json({ ignoredSkillsLocations: [`${HOME}/p/.claude`] }),
    }),
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

  [
    'a plugin that local settings enable',
    claude({
      ...plugin({}),
      ...settings({ enabledPlugins: { 'boats@yard': false } }),
      'p/.claude/settings.local.json': json({ enabledPlugins: { 'boats@yard': true } }),
    }),
  ],
  [
    'a plugin that its author turns off and the user on',
    claude({
      ...plugin({}),
      'pl/.claude-plugin/plugin.json': json({ defaultEnabled: false }),
      ...settings({ enabledPlugins: { 'boats@yard': true } }),
    }),
  ],
  [
    'a plugin in the folder of skills',
    claude({
      '.claude/skills/boats/.claude-plugin/plugin.json': json({ name: 'boats' }),
      '.claude/skills/boats/skills/hull-paint/SKILL.md': PAINT,
      ...settings({ enabledPlugins: { 'boats@skills-dir': true } }),
    }),
  ],
  ...[
    'Skill(hull)',
    'Skill(hull-paint now)',
    'Skill(paint)',
    'Bash(Skill)',
    'Skillful(hull-paint)',
    'Read(**)',
    'Skill(tea *)',
    'Skill(tea:*)',
    'Skill(hull-paint*t)',
    'Skill(h*x*t)',
    'mcp__*',
    'Skills',
  ].map((rule): [string, Case] => [
    `the rule ${rule}`,
    claude({ ...USER, ...settings({ permissions: { deny: [rule], ask: ['Skill(hull-paint)'] } }) }),
  ]),
  // A cloned project must not make a prompt wait.
  ...[
    `${'*'.repeat(100_000)}x`,
    `Skill${' '.repeat(200_000)}!`,
    `Skill(a${' '.repeat(200_000)}b)`,
    `Skill(skill:${' '.repeat(200_000)}a\nb)`,
    `Skill(${'*a'.repeat(60_000)})`,
  ].map((rule): [string, Case] => [
    `the long rule ${rule.slice(0, 8)}`,
    claude({ ...USER, 'p/.claude/settings.json': json({ permissions: { deny: [rule] } }) }),
  ]),
  ...['claude-code', 'copilot-cli', 'gemini-cli'].map((host): [string, Case] => [
    `settings of a project that are too large: ${host}`,
    {
      host,
      files: {
        '.claude/skills/hull-paint/SKILL.md': PAINT,
        ...GEMINI_USER,
        ...Object.fromEntries(
          ['.claude', '.gemini', '.github/copilot'].map(folder => [
            `p/${folder}/settings.json`,
            `{}${' '.repeat(300_000)}`,
          ]),
        ),
      },
    },
  ]),
  [
    'parts of settings that are null',
    claude({
      ...USER,
      ...settings({ permissions: null, skillOverrides: null, enabledPlugins: null }),
    }),
  ],
  [
    'a project with broken settings, and a plugin',
    claude({ ...plugin({}), 'p/.claude/settings.local.json': '{"permissions": []}' }),
  ],
  [
    'an empty variable',
    { ...claude(USER), env: { CLAUDE_CONFIG_DIR: '', CODEX_HOME: 'x', GEMINI_CLI_HOME: '~' } },
  ],
  [
    'CLAUDE_CODE_PLUGIN_CACHE_DIR',
    {
      ...claude({
        'plugins/installed_plugins.json': json({
          plugins: { 'boats@yard': [{ scope: 'user', installPath: `${HOME}/pl` }] },
        }),
        'pl/skills/hull-paint/SKILL.md': PAINT,
      }),
      env: { CLAUDE_CODE_PLUGIN_CACHE_DIR: `${HOME}/plugins` },
    },
  ],
  [
    'a plugin that is a skill',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/SKILL.md': PAINT,
      'pl2/.claude-plugin/plugin.json': json({ name: 'boats' }),
    }),
  ],
  [
    'a plugin of a list of the first version',
    claude({
      'pl/skills/hull-paint/SKILL.md': PAINT,
      '.claude/plugins/installed_plugins.json': json({
        version: 1,
        plugins: { 'boats@yard': { version: '1', installPath: `${HOME}/pl` } },
      }),
    }),
  ],
  [
    'a manifest that names the plugin itself',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/.claude-plugin/plugin.json': json({ skills: ['.'] }),
      'pl2/SKILL.md': PAINT,
    }),
  ],
  [
    'a skill that the marketplace lists',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/skills/hull-paint/SKILL.md': PAINT,
      'pl2/skills/tea/SKILL.md': TEA,
      ...marketplace({ strict: false, skills: ['./skills/hull-paint'] }),
    }),
  ],
  [
    'a marketplace that lists skills that are not there',
    claude({ ...plugin({}), ...marketplace({ skills: ['./gone'] }) }),
  ],
  [
    'a marketplace that lists more skills of a plugin elsewhere',
    claude({ ...plugin({}), ...marketplace({ source: './plugins/boats', skills: ['./more'] }) }),
  ],
  [
    'a marketplace that is known elsewhere',
    claude({
      ...plugin({ installPath: `${HOME}/pl2` }),
      'pl2/more/hull-paint/SKILL.md': PAINT,
      '.claude/plugins/known_marketplaces.json': json({
        yard: { installLocation: `${HOME}/yard` },
      }),
      'yard/.claude-plugin/marketplace.json': json({
        plugins: [{ name: 'boats', source: './plugins/boats', skills: './more' }],
      }),
    }),
  ],
  [
    'the top of a submodule',
    {
      ...claude({
        'p/lib/.git': 'gitdir: ../.git/modules/lib\n',
        'p/lib/.claude/skills/hull-paint/SKILL.md': PAINT,
        'p/lib/src/x': '',
      }),
      cwd: 'p/lib/src',
    },
  ],
  [
    'the top of a worktree',
    { ...claude({ ...WORKTREE, ...PROJECT, 'p/src/x': '' }), cwd: 'p/src' },
  ],
  [
    'a skill of the plugin where administrators allow those alone',
    claude({
      ...plugin({}),
      [`${MANAGED}/managed-settings.json`]: json({ strictPluginOnlyCustomization: ['skills'] }),
    }),
  ],
  [
    'hidden parts of settings of administrators',
    claude({
      ...USER,
      [`${MANAGED}/managed-settings.d/.old.json`]: '{',
      [`${MANAGED}/managed-settings.d/notes.txt`]: '{',
    }),
  ],
  [
    'a newer version of a plugin',
    codex('[plugins."boats@yard"]\n', {
      ...CODEX_PLUGIN,
      '.codex/plugins/cache/yard/boats/1.0.0/skills/hull-paint/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/1.10.0/skills/hull-paint/SKILL.md': PAINT,
      '.codex/plugins/cache/yard/boats/1.9.0/skills/tea/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/zz.lock': '',
    }),
  ],
  [
    'a local version of a plugin',
    codex('[plugins."boats@yard"]\n', {
      ...CODEX_PLUGIN,
      '.codex/plugins/cache/yard/boats/1.0.0/skills/hull-paint/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/local/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a manifest of Claude Code in a plugin of Codex',
    codex('[plugins."boats@yard"]\n', {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      '.codex/plugins/cache/yard/boats/1.0.0/.claude-plugin/plugin.json': json({
        skills: './agent',
      }),
      '.codex/plugins/cache/yard/boats/1.0.0/agent/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'skills of Codex itself',
    codex('', {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      '.codex/skills/.system/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'skills of an administrator of Codex',
    codex('', {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      'system/etc/codex/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'a file that allows the model to open it',
    codex('', {
      '.codex/skills/hull-paint/agents/openai.yaml': 'policy:\n  allow_implicit_invocation: true\n',
    }),
  ],
  [
    'a file for Codex that is no YAML',
    codex('', { '.codex/skills/hull-paint/agents/openai.yaml': 'policy: [\n' }),
  ],
  [
    'a file that is for Codex',
    claude({
      ...USER,
      '.claude/skills/hull-paint/agents/openai.yaml':
        'policy:\n  allow_implicit_invocation: false\n',
    }),
  ],
  ['a configuration with a mark', codex('\ufeff# mine\n')],
  [
    'a project without trust elsewhere',
    codex(`[projects."${HOME}/other"]\ntrust_level = "untrusted"\n`, {
      '.codex/skills/hull-paint/SKILL.md': TEA,
      'p/.agents/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'skills that the user disables and the project enables',
    gemini({
      ...GEMINI_USER,
      '.gemini/settings.json': json({ skills: { enabled: false } }),
      'p/.gemini/settings.json': json({ skills: { enabled: true } }),
    }),
  ],
  [
    'settings of a project without trust',
    gemini({
      ...GEMINI_USER,
      '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'DO_NOT_TRUST' }),
      'p/.gemini/settings.json': json({ skills: { disabled: ['hull-paint'] } }),
    }),
  ],
  [
    'trust in the environment',
    {
      ...gemini({
        ...GEMINI_PROJECT,
        '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'DO_NOT_TRUST' }),
      }),
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    },
  ],
  [
    'trust that nobody demands',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/settings.json': json({ security: { folderTrust: { enabled: false } } }),
      '.gemini/trustedFolders.json': json({ [`${HOME}/p`]: 'DO_NOT_TRUST' }),
    }),
  ],
  [
    'a trusted folder in one that is not',
    gemini({
      ...GEMINI_PROJECT,
      '.gemini/trustedFolders.json': json({
        [HOME]: 'DO_NOT_TRUST',
        [`${HOME}/p`]: 'TRUST_FOLDER',
      }),
    }),
  ],
  [
    'trust in another file',
    {
      ...gemini({
        ...GEMINI_PROJECT,
        '.gemini/settings.json': json({ security: { folderTrust: { enabled: true } } }),
        'trust.json': `{"${HOME}/p": "TRUST_FOLDER", /* mine */}`,
      }),
      env: { GEMINI_CLI_TRUSTED_FOLDERS_PATH: `${HOME}/trust.json` },
    },
  ],
  ...[`!${HOME}/other/*`, `!${HOME}/p2/*`, `!${HOME}/p/sub/*`, '!p'].map((rule): [string, Case] => [
    `an extension and the rule ${rule}`,
    gemini({
      ...EXTENSION,
      '.gemini/extensions/extension-enablement.json': json({ boats: { overrides: [rule] } }),
    }),
  ]),
  [
    'an extension that is enabled again',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/extension-enablement.json': json({
        boats: { overrides: ['!/*', `${HOME}/p/*`] },
      }),
    }),
  ],
  [
    'the folder of an extension that was linked',
    gemini({
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'link',
        source: `${HOME}/dev`,
      }),
      'dev/gemini-extension.json': json({ name: 'boats' }),
      'dev/skills/hull-paint/SKILL.md': PAINT,
    }),
  ],
  [
    'an extension that is allowed',
    gemini({
      ...EXTENSION,
      '.gemini/extensions/boats/.gemini-extension-install.json': json({
        type: 'git',
        source: 'https://github.com/yard/boats',
      }),
      '.gemini/settings.json': json({
        security: { allowedExtensions: ['^https://github.com/yard/'] },
      }),
    }),
  ],
  [
    'COPILOT_SKILLS_DIRS',
    copilot(
      { 'a/tea/SKILL.md': TEA, 'b/hull-paint/SKILL.md': PAINT },
      { COPILOT_SKILLS_DIRS: `${HOME}/a, ${HOME}/b` },
    ),
  ],
  [
    'folders of settings of Copilot',
    copilot({
      'b/hull-paint/SKILL.md': PAINT,
      '.copilot/settings.json': json({ skillDirectories: ['~/b'] }),
    }),
  ],
  [
    'a folder of a skill in settings of Copilot',
    copilot({ 'b/SKILL.md': PAINT, '.copilot/settings.json': json({ skillDirectories: ['~/b'] }) }),
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

it.each([
  ['claude-code', 'CLAUDE_CONFIG_DIR'],
  ['codex', 'CODEX_HOME'],
  ['gemini-cli', 'GEMINI_CLI_HOME'],
  ['copilot-cli', 'COPILOT_HOME'],
])('[BY-25] %s: the log says that %s is not an absolute path', async (host, variable) => {
  const { log } = await ask({ host, files: USER, env: { [variable]: '~/cfg' } })
  expect(log).toContain(`${variable} is not an absolute path: ~/cfg`)
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
