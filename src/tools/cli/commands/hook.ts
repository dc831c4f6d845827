import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'
import { Argument } from 'commander'
import { invalidInput } from '../../../core/errors.js'
import { plainLine } from '../../../core/sanitize.js'
import { HOSTS } from '../../hook/hosts/hosts.js'
import { runHook } from '../../hook/run-hook.js'
import type { CommandDefinition, CommonFlags } from '../command.js'
import { envOf, homeOf } from '../environment.js'
import { HOOK_SCRIPT } from '../hook-command.js'
import { installHook, uninstallHook } from '../hook-settings.js'
import { EXIT, type Io, printLines } from '../io.js'
import { readSettings, writeSettings } from '../settings-file.js'
import { changedLines } from './diff.js'

type HookFlags = CommonFlags & { yes?: boolean }

const ACTIONS = ['install', 'uninstall']
const NAMES = Object.keys(HOSTS)

export const hookCommand: CommandDefinition = (command, run) =>
  command('hook', 'Offer skills to a coding agent at each prompt', [
    'hook install claude-code',
    'hook install codex --dry-run',
    'hook uninstall claude-code --yes',
    'hook claude-code < prompt.json',
  ])
    .addArgument(
      new Argument('<action>', 'install, uninstall, or a host to answer a prompt').choices([
        ...ACTIONS,
        ...NAMES,
      ]),
    )
    .addArgument(new Argument('[host]', 'the host to install for').choices(NAMES))
    .option('-y, --yes', 'change the settings without asking')
    .option('--dry-run', 'only print the change')
    .action(
      run((io, action: string, host: string | undefined, flags: HookFlags) =>
        ACTIONS.includes(action) ? changeSettings(io, action, host, flags) : answer(io, action),
      ),
    )

/** Answers one prompt, as the installed hook does. */
async function answer(io: Io, host: string): Promise<number> {
  const text = await runHook(host, await readAll(io.streams?.stdin ?? process.stdin), {
    home: homeOf(io),
    env: envOf(io),
  })
  if (text !== '') io.stdout(`${text}\n`)
  return EXIT.ok
}

async function changeSettings(
  io: Io,
  action: string,
  name: string | undefined,
  { dryRun, yes }: HookFlags,
): Promise<number> {
  const host = name === undefined ? undefined : HOSTS[name]
  if (name === undefined || !host) {
    throw invalidInput('The host is missing', `one of: ${NAMES.join(', ')}`)
  }
  const isInstall = action === 'install'
  const settings = await readSettings(host.settings({ home: homeOf(io), env: envOf(io) }))
  const program = {
    node: process.execPath,
    script: HOOK_SCRIPT,
    host: name,
  }
  const change = isInstall ? installHook : uninstallHook
  const { path: file, text, isLinked } = settings
  const after = change({ file, text, isLinked, host, program, platform: process.platform })
  const left = after.left.map(
    command => `Stays, because it does more than install writes: ${plainLine(command)}`,
  )
  if (after.text === text) {
    printLines(
      io,
      `${file} ${isInstall ? 'has the hook' : 'has no hook of skillshelf'}: nothing to change`,
      left,
    )
    return EXIT.ok
  }
  const changes = changedLines(text ?? '', after.text ?? '').filter(line => line.trim().length > 1)
  printLines(io, file, changes, left, '')
  if (dryRun) return EXIT.ok
  if (!yes && !(await confirm(io, `Change the settings of ${host.title}? [y/N] `))) {
    printLines(io, 'Nothing was changed')
    return EXIT.failed
  }
  await writeSettings(settings, after.text)
  if (isInstall) {
    await runHook(name, JSON.stringify({ prompt: 'hello', cwd: io.cwd }), {
      home: homeOf(io),
      env: envOf(io),
    })
  }
  printLines(io, `The hook is ${isInstall ? 'installed' : 'removed'}: restart ${host.title}`)
  return EXIT.ok
}

async function confirm(io: Io, question: string): Promise<boolean> {
  const stdin = io.streams?.stdin ?? process.stdin
  if (!io.streams && !process.stdin.isTTY) {
    throw invalidInput(
      'The change needs a yes, and this is not a terminal',
      'pass --yes, or --dry-run to see the change',
    )
  }
  const lines = createInterface({ input: stdin })
  try {
    io.stdout(question)
    for await (const line of lines) return /^y(es)?$/i.test(line.trim())
    return false
  } finally {
    lines.close()
  }
}
