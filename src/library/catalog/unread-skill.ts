import { digestOf, isDigest } from '../../core/digest.js'
import { basename } from '../../core/paths.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, type TokenCounter } from '../../core/tokens.js'
import { metadataText } from '../../skill/parse.js'
import type { SkillFolder } from './discover.js'
import type { TreeSkill } from './types.js'

/**
 * Makes an entry from the summary in a listing, without fetching the skill; `undefined` if the listing has no summary.
 * The size of the instructions is unknown, so the recommended maximum is assumed: a token budget is then never exceeded.
 */
export function unreadSkill(
  { path, file }: SkillFolder,
  countTokens: TokenCounter = estimateTokens,
): TreeSkill | undefined {
  const { summary, version } = file
  if (!summary?.name || !summary.description) return undefined
  const { name, description } = summary
  const summaryDigest = digestOf(JSON.stringify([name, description]))
  return {
    entry: {
      path,
      name,
      description,
      tags: [],
      digest:
        version !== undefined && isDigest(version)
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
