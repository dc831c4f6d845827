import { deepFreeze } from '../core/plain-data.js'
import type { FileInfo, Skill, SkillFileInfo, SkillSummary } from '../skill/skill.js'
import type { OpenedSkill } from './loaded-source.js'

/** An opened skill as `get` returns it, frozen. */
export function createSkill(
  summary: SkillSummary,
  { digest, tokens = summary.tokens, text, body, details }: Omit<OpenedSkill, 'current'>,
  { root, describeFile }: { root: string; describeFile: (file: FileInfo) => SkillFileInfo },
): Skill {
  const { unread: _, ...known } = summary
  return deepFreeze({
    ...known,
    tokens,
    digest,
    metadata: details.metadata,
    instructions: body.trim(),
    text,
    frontmatter: details.frontmatter,
    file: details.file,
    files: details.files.map(describeFile),
    ...(details.messages ? { messages: details.messages } : {}),
    root,
    diagnostics: details.diagnostics,
  })
}
