import type { Node } from 'jsonc-parser'
import { invalidInput } from '../../core/errors.js'
import type { Host } from '../hook/hosts/host.js'
import {
  addToList,
  duplicateError,
  findList,
  isCreatedFor,
  type JsonDocument,
  parseDocument,
  removePart,
  replacePart,
  valuesOf,
} from './edit-json.js'
import { type HookProgram, hookCommand, isHookCommand, mentionsHook } from './hook-command.js'

/** Settings of a host, before a change or after it. */
export interface SettingsChange {
  /** `undefined`: the file has nothing else, and is removed. */
  text: string | undefined
  /** Commands that name the hook and stay, because they do something else too. */
  left: readonly string[]
}

interface SettingsInput {
  /** Path of the file, for errors. */
  file: string
  /** Text of the file without a byte order mark. `undefined`: there is no file. */
  text: string | undefined
  /** Whether the file is at the end of a link, which must not lead nowhere. */
  isLinked: boolean
  host: Host
  program: HookProgram
  platform: NodeJS.Platform
}

/** What a new file starts with. */
const EMPTY = '{}\n'
const EMPTY_COPILOT = '{\n  "version": 1\n}\n'

/** Adds the hook to settings. A hook of another version gets the command of this one, and one that is there twice is removed. */
export function installHook(input: SettingsInput): SettingsChange {
  const { host, program, platform } = input
  const shell = platform === 'win32' ? host.windowsShell : 'posix'
  const wanted = host.setting(hookCommand(program, shell), hookCommand(program, 'powershell'))
  let document = parseDocument(withRoot(input), input.file)
  const [first] = findHooks(document, input)
  if (!first) {
    const text = addToList(document, host.keys, host.isGrouped ? { hooks: [wanted] } : wanted)
    return { text, left: commandsLeft(document, input) }
  }
  for (const { key } of first.commands) {
    // Searched again, because each change moves what is behind it.
    const command = findHooks(document, input)[0]?.commands.find(one => one.key === key)?.value
    if (command && wanted[key] !== undefined && command.value !== wanted[key]) {
      document = parseDocument(replacePart(document, command, wanted[key]), input.file)
    }
  }
  for (
    let [, second] = findHooks(document, input);
    second;
    [, second] = findHooks(document, input)
  ) {
    document = removeHook(document, host, second)
  }
  return { text: document.text, left: commandsLeft(document, input) }
}

/** Removes the hook from settings, and its group if that is empty then. S11: everything else stays. */
export function uninstallHook(input: SettingsInput): SettingsChange {
  if (input.text === undefined) return { text: undefined, left: [] }
  let document = parseDocument(input.text, input.file)
  for (let [hook] = findHooks(document, input); hook; [hook] = findHooks(document, input)) {
    document = removeHook(document, input.host, hook)
  }
  // A file that install wrote has nothing else.
  const isOurs = document.text !== input.text && document.text === emptyFor(input.program)
  return {
    text: isOurs && !input.isLinked ? undefined : document.text,
    left: commandsLeft(document, input),
  }
}

function emptyFor({ host }: HookProgram): string {
  return host === 'copilot-cli' ? EMPTY_COPILOT : EMPTY
}

/** The text with a value: an empty file and one of comments get an empty object. */
function withRoot({ text = '', file, program }: SettingsInput): string {
  if (parseDocument(text, file).root) return text
  const comments = text.trim() === '' ? '' : text.replace(/(?<![\r\n])$/, '\n')
  return comments + emptyFor(program)
}

/** A setting with a command of ours. */
interface FoundHook {
  /** The collections that it is in, from the root inwards, and itself. */
  path: readonly Node[]
  /** Its commands that are ours. */
  commands: readonly { key: string; value: Node }[]
  /** Whether it has commands of others. */
  isShared: boolean
}

/** Names of the fields that hold a command. Copilot CLI has one for each shell. */
const COMMAND_KEYS = ['command', 'bash', 'powershell']

/** Each is removed by itself, which takes a while in settings that some program fills. */
const MAX_HOOKS = 100

/** Finds our commands in the list of a host. Entries of another form than the host reads belong to others. */
function findHooks(document: JsonDocument, { host, program }: SettingsInput): FoundHook[] {
  const found = settingsIn(document, host).flatMap(path => {
    const setting = path.at(-1) as Node
    const all = commandsOf(setting)
    const commands = all.filter(({ value }) => isHookCommand(value.value, program))
    if (
      commands.length === 0 ||
      valuesOf(setting, 'type').some(({ value }) => value !== 'command')
    ) {
      return []
    }
    for (const key of COMMAND_KEYS) rejectDuplicates(document, setting, key)
    if (host.isGrouped) rejectDuplicates(document, path.at(-3) as Node, 'hooks')
    return [{ path, commands, isShared: commands.length < all.length }]
  })
  if (found.length > MAX_HOOKS) {
    throw invalidInput(
      `${document.file} has the hook more than ${MAX_HOOKS} times`,
      'remove all but one by hand',
    )
  }
  return found
}

function rejectDuplicates(document: JsonDocument, object: Node, key: string): void {
  const values = valuesOf(object, key)
  if (values.length > 1) throw duplicateError(document, key, values)
}

/** The settings with commands in the list of a host, each with the collections that it is in. */
function settingsIn(document: JsonDocument, { keys, isGrouped }: Host): (readonly Node[])[] {
  const found = findList(document, keys)
  const list = found?.path.at(-1)
  if (!found || !list || found.missing.length > 0) return []
  const items = objectsIn(list).map(item => [...found.path, item])
  if (!isGrouped) return items
  return items.flatMap(path =>
    valuesOf(path.at(-1) as Node, 'hooks').flatMap(hooks =>
      objectsIn(hooks).map(hook => [...path, hooks, hook]),
    ),
  )
}

function objectsIn(list: Node): Node[] {
  return list.type === 'array' ? (list.children ?? []).filter(({ type }) => type === 'object') : []
}

function commandsOf(setting: Node): { key: string; value: Node & { value: string } }[] {
  return COMMAND_KEYS.flatMap(key =>
    valuesOf(setting, key).flatMap(value => (isText(value) ? [{ key, value }] : [])),
  )
}

function isText(node: Node): node is Node & { value: string } {
  return node.type === 'string'
}

/** Commands that name the hook and are not ours alone. */
function commandsLeft(document: JsonDocument, { host, program }: SettingsInput): string[] {
  return settingsIn(document, host)
    .flatMap(path => commandsOf(path.at(-1) as Node))
    .map(({ value }) => value.value)
    .filter(command => mentionsHook(command) && !isHookCommand(command, program))
}

/** Removes a command. Its group goes with its last command, and then collections that hold nothing else and that install created. */
function removeHook(
  document: JsonDocument,
  host: Host,
  { path, commands, isShared }: FoundHook,
): JsonDocument {
  const { file, text } = document
  const setting = path.at(-1) as Node
  const [first] = commands
  if (isShared && first) {
    return parseDocument(removePart(document, setting, indexIn(setting, first.value)), file)
  }
  // From the setting outwards; the root stays.
  let depth = path.length - 1
  if (host.isGrouped && path[depth - 1]?.children?.length === 1) depth -= 2
  while (depth > 1 && isCreatedFor(text, path[depth - 1] as Node)) depth--
  const container = path[depth - 1] as Node
  return parseDocument(
    removePart(document, container, indexIn(container, path[depth] as Node)),
    file,
  )
}

/** The position of a value in a list, or of its property in an object. */
function indexIn(container: Node, value: Node): number {
  return (container.children ?? []).findIndex(
    part => part === value || part.children?.[1] === value,
  )
}
