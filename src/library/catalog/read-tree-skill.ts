import { type AbortOptions, isTimeoutError } from '../../core/abort.js'
import { PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLines, isDigest } from '../../core/digest.js'
import { errorMessage, isSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { basename, joinPath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, type TokenCounter } from '../../core/tokens.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { MESSAGES_FILE } from '../../skill/messages.js'
import { metadataText, parseSkill } from '../../skill/parse.js'
import type { SystemRules } from '../../skill/specification.js'
import type { SkillSource } from '../../source/source.js'
import type { TreeSkill } from './catalog-entry.js'
import type { SkillFolder } from './discover.js'
import { readMessages } from './read-messages.js'
import { fieldsOfMetadata } from './summary-fields.js'

export interface TreeOptions extends AbortOptions {
  /** Leaves out skills without a name or description, and reports violations of the specification as errors. @default false */
  strict?: boolean | undefined
  /** What a system allows beyond the specification. */
  allows?: SystemRules | undefined
  countTokens?: TokenCounter | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Codes of diagnostics that explain a missing name or description. */
const CAUSES = /-missing$|^empty-file$|^file-not-there$|frontmatter|^yaml-/

/** Makes an entry from the summary in a listing, if any. Its size is unknown: the recommended maximum keeps budgets safe. */
export function unreadSkill(
  { path, file }: SkillFolder,
  countTokens: TokenCounter,
): TreeSkill | undefined {
  const { summary, version } = file
  if (!summary?.name || !summary.description) return undefined
  const { name, description } = summary
  const summaryDigest = digestOf(JSON.stringify([name, description]))
  const hasDigest = version !== undefined && isDigest(version)
  return {
    entry: {
      path,
      name,
      description,
      tags: [],
      digest: hasDigest
        ? version
        : digestOf(JSON.stringify([file.path, version ?? '', summaryDigest])),
      details: summaryDigest,
      tokens: { metadata: countTokens(metadataText(summary)), instructions: INSTRUCTIONS_TOKENS },
      unread: true,
    },
    file: file.path,
    ...(version === undefined ? {} : { version }),
    details: {
      metadata: { name, description },
      frontmatter: '',
      file: basename(file.path),
      files: [],
      diagnostics: [],
    },
    body: '',
  }
}

/** Returns a function that reads and parses one skill. The result is `undefined` if the skill is left out. */
export function createSkillReader(
  source: SkillSource,
  { strict = false, allows, countTokens = estimateTokens, signal }: TreeOptions,
  diagnostics: Diagnostic[],
) {
  let timeoutsInARow = 0
  const report = (code: Diagnostic['code'], path: string, problem: string, hint?: string): void => {
    const details = hint === undefined ? { path } : { path, hint }
    diagnostics.push({ code, severity: 'error', message: `${path} ${problem}`, ...details })
  }

  return async (
    folder: SkillFolder,
    filesDigest: string,
    ifVersion: string | undefined,
  ): Promise<TreeSkill | 'unchanged' | 'unreadable' | undefined> => {
    const { path } = folder.file
    let result: Awaited<ReturnType<SkillSource['read']>>
    try {
      result = await source.read(path, { ifVersion, signal })
      timeoutsInARow = 0
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (isSkillshelfError(error, 'aborted')) throw error
      // One file that never arrives is left out. A source that stopped answering would take a timeout for each of its files.
      if (isTimeoutError(error)) {
        timeoutsInARow++
        if (timeoutsInARow >= PARALLEL_READS) throw error
      }
      report('skill-unreadable', path, `cannot be read: ${errorMessage(error)}`)
      return 'unreadable'
    }
    if (result === 'unchanged' && ifVersion) return result
    if (typeof result !== 'object') {
      report(
        'skill-unreadable',
        path,
        'cannot be read: the source lists the file, but does not have it',
      )
      return undefined
    }
    const { bytes, version = folder.file.version } = result
    const count = cachedCounter(countTokens)
    const parsed = await parseSkill(bytes, {
      folder: folder.path,
      infer: !strict,
      strict,
      allows,
      countTokens: count,
    })
    const { metadata } = parsed
    const own = parsed.diagnostics.map(one => ({ ...one, path }))
    if (metadata.name === '' || metadata.description === '') {
      const causes = own.filter(one => one.severity === 'error' && CAUSES.test(one.code))
      const problems = causes
        .map(({ message }) => message.charAt(0).toLowerCase() + message.slice(1))
        .join('; ')
      report(
        'skill-left-out',
        path,
        `was left out: ${problems}`,
        'add a name and a description to the frontmatter',
      )
      return undefined
    }
    const {
      messages,
      notMessages,
      diagnostics: ignored,
    } = await readMessages(source, folder, metadata.messages ?? [], signal)
    own.push(...ignored.map(one => ({ ...one, path: joinPath(folder.path, MESSAGES_FILE) })))
    const hasReturns = own.some(({ code }) => code === 'crlf')
    return {
      entry: {
        ...fieldsOfMetadata(metadata),
        path: folder.path,
        digest: digestOf(bytes),
        details: filesDigest,
        tokens: { metadata: count(metadataText(metadata)), instructions: count(parsed.body) },
      },
      file: path,
      ...(version === undefined ? {} : { version }),
      ...(hasReturns ? { lines: await digestOfLines(bytes) } : {}),
      details: {
        metadata,
        frontmatter: parsed.frontmatter,
        file: basename(path),
        files: folder.files.map(({ version: _, ...file }) => file),
        ...(messages.length > 0 ? { messages } : {}),
        ...(notMessages.length > 0 ? { notMessages } : {}),
        diagnostics: own,
      },
      body: parsed.body,
    }
  }
}

/** Caches counts: the parser counts the same texts for its warnings, and counting dominates the cost of reading a skill. */
function cachedCounter(countTokens: TokenCounter): TokenCounter {
  const counts = new Map<string, number>()
  return text => {
    const count = counts.get(text) ?? countTokens(text)
    counts.set(text, count)
    return count
  }
}
