import { joinPath } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import { decodeText } from '../../skill/decode.js'
import { MESSAGES_FILE, parseMessages } from '../../skill/messages.js'
import type { SkillSource } from '../../source/source.js'
import type { TriggerCase } from '../testing/trigger-case.js'
import { readTriggers } from '../testing/trigger-file.js'
import { isTriggerFile } from '../testing/triggers.js'

/** Reads the messages that a skill claims, from its frontmatter, messages.txt and triggers.yaml, whose problems `skillshelf test` reports. */
export async function readSkillTriggers(
  source: SkillSource,
  { entry, file, details }: TreeSkill,
  signal: AbortSignal | undefined,
): Promise<TriggerCase[]> {
  const triggers: TriggerCase[] = []
  const own = new Set(details.messages)
  for (const { path: name } of details.files.filter(
    ({ path }) => path === MESSAGES_FILE || isTriggerFile(path),
  )) {
    const path = joinPath(entry.path, name)
    const text = await readText(source, path, signal)
    if (text === undefined) continue
    if (isTriggerFile(name)) {
      for (const one of readTriggers(text, path).cases) triggers.push(one)
    } else {
      for (const message of parseMessages(text).messages.map(plainLine)) {
        if (own.delete(message)) {
          triggers.push({ message, skills: undefined, file: path, line: lineOf(text, message) })
        }
      }
    }
  }
  // The frontmatter starts below the opening fence.
  for (const message of own) {
    triggers.push({
      message,
      skills: undefined,
      file,
      line: lineOf(details.frontmatter, message) + 1,
    })
  }
  return triggers
}

/** @returns `undefined` if the file does not exist. */
export async function readText(
  source: SkillSource,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const result = await source.read(path, { signal })
  return typeof result === 'object' ? decodeText(result.bytes).text : undefined
}

/** The 1-based line of a text in another, or the first line. */
function lineOf(text: string, part: string): number {
  const index = text.split(/\r\n?|\n/).findIndex(line => plainLine(line).includes(part))
  return Math.max(0, index) + 1
}
