import { readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Argument } from 'commander'
import { invalidInput } from '../../core/errors.js'
import { HOSTS, type Host } from '../hook/hosts.js'
import { runHook } from '../hook/run-hook.js'
import type { CommandDefinition, CommonFlags } from './command.js'
import { changedLines } from './diff.js'
import { addToList, removeFromList } from './edit-json.js'
import { EXIT, type Io, printLines } from './io.js'
import { makeFolder, pathKind, resolveLinks, writeAtomic } from './paths.js'

type HookFlags = CommonFlags & { yes?: boolean }

const ACTIONS = ['install', 'uninstall']
const NAMES = Object.keys(HOSTS)
/** The command in settings. */
const OURS = /tools[\\/]+hook[\\/]+main\.c?js/

export const hookCommand: CommandDefinition = (command, run) =>
  command('hook', 'Offer skills to a coding agent at each prompt', [
    'hook install claude-code',
    'hook install codex --dry-run',
    'hook uninstall claude-code --yes',
    'hook claude-code < prompt.json',
  ])
    .addArgument(
      new Argument('<action>', 'install, uninstall, or a host to answer a prompt').choices([...ACTIONS, ...NAMES]),
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
  const text = await runHook(host, await readAll(io.streams?.stdin ?? process.stdin), { home: io.env?.['HOME'] })
  if (text !== '') io.stdout(`${text}\n`)
  return EXIT.ok
}

async function changeSettings(io: Io, action: string, name: string | undefined, flags: HookFlags): Promise<number> {
  const host = name === undefined ? undefined : HOSTS[name]
  if (!host) throw invalidInput('The host is missing', `one of: ${NAMES.join(', ')}`)
  const file = await resolveLinks(join(io.env?.['HOME'] ?? homedir(), host.settings))
  const before = (await pathKind(file)) === undefined ? undefined : await readFile(file, 'utf8')
  const after = settingsAfter(action, name as string, host, before)
  if (after === before) {
    printLines(io, `${file} ${action === 'install' ? 'has the hook' : 'has no hook of skillshelf'}: nothing to change`)
    return EXIT.ok
  }
  const changes = changedLines(before ?? '', after ?? '').filter(line => line.trim().length > 1)
  printLines(io, file, ...changes, '')
  if (flags.dryRun) return EXIT.ok
  if (!flags.yes && !(await confirm(io, `Change the settings of ${host.title}? [y/N] `))) {
    printLines(io, 'Nothing was changed')
    return EXIT.failed
  }
  if (after === undefined) await rm(file)
  else {
    await makeFolder(dirname(file))
    await writeAtomic(file, after)
  }
  if (action === 'install')
    await runHook(name as string, JSON.stringify({ prompt: 'hello', cwd: io.cwd }), { home: io.env?.['HOME'] })
  printLines(io, `The hook is ${action === 'install' ? 'installed' : 'removed'}: restart ${host.title}`)
  return EXIT.ok
}

/** The settings after the change; `undefined` for no file. */
function settingsAfter(action: string, name: string, { keys, setting }: Host, before: string | undefined) {
  const without = before === undefined ? undefined : removeFromList(before, keys, json => OURS.test(json))
  const empty = name === 'copilot-cli' ? '{\n  "version": 1\n}\n' : '{}\n'
  // A file that this command wrote has nothing else.
  if (action === 'uninstall') return without === empty ? undefined : without
  const command = `"${process.execPath}" "${fileURLToPath(new URL('../hook/main.cjs', import.meta.url))}" ${name}`
  if (before?.includes(JSON.stringify(command).slice(1, -1))) return before
  return addToList(without ?? empty, keys, setting(command))
}

async function confirm(io: Io, question: string): Promise<boolean> {
  const stdin = io.streams?.stdin ?? process.stdin
  if (!io.streams && !process.stdin.isTTY)
    throw invalidInput(
      'The change needs a yes, and this is not a terminal',
      'pass --yes, or --dry-run to see the change',
    )
  const lines = createInterface({ input: stdin })
  try {
    io.stdout(question)
    for await (const line of lines) return /^y(es)?$/i.test(line.trim())
    return false
  } finally {
    lines.close()
  }
}
