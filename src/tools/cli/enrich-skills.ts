import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import { mergeCopies } from '../../library/catalog/merge-copies.js'
import { readTree } from '../../library/catalog/read-tree.js'
import type { MessagesByLanguage } from '../../library/enrich/languages.js'
import {
  type MessagesFile,
  messagesOf,
  readMessagesFile,
} from '../../library/enrich/messages-file.js'
import type { EnrichedSkill } from '../../library/enrich/prompt.js'
import { seenDigest } from '../../library/enrich/prompt.js'
import { joinMessages, MESSAGES_FILE, parseMessages } from '../../skill/messages.js'
import { readTriggers } from '../testing/trigger-file.js'
import { hasTriggers } from '../testing/triggers.js'
import { createDiagnosticReporter } from './diagnostics.js'
import { folderSource } from './folder-source.js'
import { type Io, withProgressBar } from './io.js'
import { findFolder, noSkillsError, noUsableSkillError, rejectPacked } from './open-library.js'
import { displayPath, writeAtomic } from './paths.js'

/** Why the messages of a skill are not written. */
export const CHANGED_MEANWHILE = 'messages.txt changed meanwhile and stays as it is'

/** `outdated`: the skill changed, or a language is missing. `draft`: unchecked. `current`: by `enrich`. `own`: by the author. */
export type EnrichState = 'missing' | 'outdated' | 'draft' | 'current' | 'own'

/** A skill with the state of its messages. */
export interface SkillToEnrich {
  /** Its folder, as it is printed. */
  shown: string
  /** Path of its messages.txt, which may be missing. */
  target: string
  /** Those of its copies, which stay copies. */
  copies: readonly string[]
  /** Text of its messages.txt. */
  text: string | undefined
  /** What a model sees of the skill, and its digest. */
  texts: EnrichedSkill
  seen: string
  state: EnrichState
  /** What its messages.txt is. */
  file: MessagesFile | undefined
  messages: MessagesByLanguage
  /** Messages that it is not for: those of its file that a person wrote, and those of its trigger tests. */
  notMessages: readonly string[]
}

/** Reads the skills of a folder and the state of their messages. @param languages Languages that messages must have to be current. */
export async function readSkillsToEnrich(
  io: Io,
  dir: string | undefined,
  languages: readonly string[],
): Promise<{ skills: SkillToEnrich[]; where: string }> {
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  await rejectPacked(io, path, 'pass the folder of skills that it was packed from')
  return withProgressBar(io, async bar => {
    const { changed, contents, diagnostics, found } = await readTree(folderSource(io, path), {
      signal: io.signal,
      onProgress: (done, total) => bar.update('reading', done, total),
    })
    if (found === 0) throw noSkillsError(where)
    createDiagnosticReporter(io, where)(diagnostics)
    const used = mergeCopies(changed, contents).filter(({ entry }) => entry.enabled !== false)
    if (used.length === 0) throw noUsableSkillError(where)
    const skills: SkillToEnrich[] = []
    for (const skill of used) skills.push(await readSkill(io, path, skill, languages))
    return { skills, where }
  })
}

async function readSkill(
  io: Io,
  root: string,
  { entry, details: { metadata, files }, body }: TreeSkill,
  languages: readonly string[],
): Promise<SkillToEnrich> {
  const folder = join(root, entry.path)
  const target = join(folder, MESSAGES_FILE)
  const copies = (entry.copies ?? []).map(path => join(root, path, MESSAGES_FILE))
  const { name, description, whenToUse } = metadata
  const texts: EnrichedSkill = { name, description, whenToUse, body }
  const seen = seenDigest(texts)
  const text = files.some(({ path }) => path === MESSAGES_FILE)
    ? await readFile(target, 'utf8')
    : undefined
  const file = text === undefined ? undefined : readMessagesFile(text)
  const isCurrent =
    file?.kind === 'enriched' &&
    file.seen === seen &&
    languages.every(one => file.languages.some(has => has === one))
  const state = ((): EnrichState => {
    if (file === undefined) return metadata.messages?.length ? 'own' : 'missing'
    if (file.kind !== 'enriched') return file.kind
    return isCurrent ? 'current' : 'outdated'
  })()
  const messages: MessagesByLanguage = text === undefined ? new Map() : messagesOf(text)
  const tested = await readNearMisses(
    folder,
    name,
    files.map(({ path }) => path),
  )
  // Those of a written file are from earlier tests.
  const written = file && file.kind !== 'enriched' ? parseMessages(text ?? '').notMessages : []
  return {
    shown: displayPath(io, folder),
    target,
    copies,
    text,
    texts,
    seen,
    state,
    file,
    messages,
    notMessages: joinMessages([...written, ...tested]).messages,
  }
}

/** The messages of the trigger tests of a skill that must not find it, as they can be a line of a messages.txt. */
async function readNearMisses(
  folder: string,
  name: string,
  paths: readonly string[],
): Promise<string[]> {
  const messages: string[] = []
  for (const path of paths.filter(hasTriggers)) {
    const { cases } = readTriggers(await readFile(join(folder, path), 'utf8'), path)
    for (const { message, skills, rejects = skills && !skills.includes(name) } of cases) {
      const line = message.trim().replace(/\s+/g, ' ')
      if (rejects && parseMessages(line).messages[0] === line) messages.push(line)
    }
  }
  return messages
}

/** Whether the file that `enrich` wrote lacks messages of the trigger tests that must not find the skill, or has others. */
export function hasOtherNearMisses({ state, text = '', notMessages }: SkillToEnrich): boolean {
  const written = parseMessages(text).notMessages
  return state === 'current' && JSON.stringify(written) !== JSON.stringify(notMessages)
}

/**
 * Writes the messages of a skill, unless its file changed since it was read: models and agents take minutes.
 * @returns Whether it was written.
 */
export async function writeMessages(
  { target, copies, text }: SkillToEnrich,
  messages: string,
): Promise<boolean> {
  // S13: an edit that was saved meanwhile stays.
  if ((await readOptional(target)) !== text) return false
  await writeAtomic(target, messages)
  for (const copy of copies) {
    const now = await readOptional(copy)
    if (now?.replaceAll('\r\n', '\n') === text?.replaceAll('\r\n', '\n')) {
      await writeAtomic(copy, messages)
    }
  }
  return true
}

async function readOptional(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
