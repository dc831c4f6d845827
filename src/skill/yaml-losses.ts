/** Finds text of a value that YAML does not read as part of it. */
import type { Diagnostic } from './diagnostics.js'
import * as yaml from './yaml-package.js'

/** A diagnostic, and the offset of what it is about. */
export interface Loss extends Diagnostic {
  offset: number
}

/** Fields of prose, where ` #` seldom starts a comment. */
const PROSE = /^(?:short[-_])?description(?:[-_]\w+)?$|^when[-_]?to[-_]?use$|^compatibility$/i
/** Characters of lost text that a message shows. */
const SHOWN = 60

/**
 * A word such as `!important` or `&amp;` at the start of a plain value is a tag or an anchor in YAML. It is put back into the value. Text
 * behind ` #` is a comment for every reader, so it stays away, and the loss is reported.
 */
export function findLosses(map: import('yaml').YAMLMap, text: string): Loss[] {
  const losses: Loss[] = []
  const aliases = aliasesIn(map)
  /** Puts a swallowed word back into a plain value. */
  const restore = (value: import('yaml').Scalar, name: string, offset: number): void => {
    const word = swallowedWord(value, aliases)
    if (word === undefined || !value.range) return
    const start = text.lastIndexOf(word, value.range[0])
    value.value = text.slice(start, value.range[1]).replace(/\s+/g, ' ').trim()
    value.source = String(value.value)
    losses.push(tagLoss(name, word, offset))
  }
  const visit = ({ items }: import('yaml').YAMLMap, isNested: boolean): void => {
    for (const { key, value } of items) {
      if (!yaml.isScalar(key) || !key.range) continue
      const [name, offset] = [String(key.value), key.range[0]]
      if (yaml.isMap(value) && !isNested) visit(value, true)
      if (yaml.isSeq(value)) {
        for (const item of value.items) {
          if (isPlain(item)) restore(item, name, offset)
        }
      }
      if (!isPlain(value) || !value.range) continue
      restore(value, name, offset)
      const [, comment] = /^[ \t]+#(.*)/.exec(text.slice(value.range[1])) ?? []
      if (comment?.trim() && PROSE.test(name)) losses.push(commentLoss(name, comment, offset))
    }
  }
  visit(map, false)
  return losses
}

function isPlain(value: unknown): value is import('yaml').Scalar {
  return yaml.isScalar(value) && (value.type === undefined || value.type === 'PLAIN')
}

/** The tag or anchor of a value that is none of YAML's own. */
function swallowedWord(
  { tag, anchor }: import('yaml').Scalar,
  aliases: ReadonlySet<string>,
): string | undefined {
  if (anchor !== undefined && !aliases.has(anchor)) return `&${anchor}`
  return tag?.startsWith('!') ? tag : undefined
}

function aliasesIn(node: unknown, found = new Set<string>()): Set<string> {
  if (yaml.isAlias(node)) found.add(node.source)
  if (yaml.isSeq(node)) for (const item of node.items) aliasesIn(item, found)
  if (yaml.isMap(node)) {
    for (const { key, value } of node.items) {
      aliasesIn(key, found)
      aliasesIn(value, found)
    }
  }
  return found
}

function tagLoss(name: string, word: string, offset: number): Loss {
  return {
    code: 'yaml-tag',
    severity: 'warning',
    message: `The value of ${name} begins with ${word}, which YAML does not read as text; it was read as text`,
    hint: `quote it: ${name}: "..."`,
    offset,
  }
}

function commentLoss(name: string, comment: string, offset: number): Loss {
  const lost = comment.trim()
  const shown = lost.length > SHOWN ? `${lost.slice(0, SHOWN)}…` : lost
  return {
    code: 'yaml-comment',
    severity: 'warning',
    message: `The value of ${name} ends at #, because YAML reads what follows as a comment: ${shown}`,
    hint: `quote it: ${name}: "..."`,
    offset,
  }
}
