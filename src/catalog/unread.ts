import { digestOf } from '../core/digest.js'
import { basename } from '../core/paths.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, type TokenCounter } from '../core/tokens.js'
import { metadataText } from '../skill/parse.js'
import type { SkillFolder } from './discover.js'
import type { TreeSkill } from './types.js'

/**
 * A skill as its source sums it up, without reading it; `undefined` where it does not. Nobody knows how long its instructions are: they
 * count as long as is advised at most, so that whoever plans with them is rather wrong on the safe side.
 */
export function unreadSkill(
  { path, file }: SkillFolder,
  countTokens: TokenCounter = estimateTokens,
): TreeSkill | undefined {
  const { summary, version } = file
  if (!summary?.name || !summary.description) return undefined
  const { name, description } = summary
  const told = digestOf(JSON.stringify([name, description]))
  return {
    entry: {
      path,
      name,
      description,
      tags: [],
      // What is to be fetched changes with anything in the folder.
      digest: isDigest(version) ? version : digestOf(JSON.stringify([file.path, version ?? '', told])),
      details: told,
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

function isDigest(version: string | undefined): version is string {
  return version !== undefined && /^sha256:[0-9a-f]{64}$/.test(version)
}
