import type { TreeSkill } from '../catalog/types.js'
import { joinPath } from '../core/paths.js'
import { decodeText } from '../skill/decode.js'
import { readYaml } from '../skill/yaml.js'
import type { SkillSource } from '../source/types.js'
import { readTriggers } from '../testing/trigger-file.js'
import { isTriggerFile } from '../testing/triggers.js'

/** A message that a skill claims, from its triggers.yaml or from the field `triggers` of its frontmatter. */
export interface Trigger {
  message: string
  /** Names of the skills that may rank first. `undefined`: the skill of the file. Empty: no skill may match. */
  skills: readonly string[] | undefined
  /** Path of the file in the source. */
  path: string
  /** 1-based line. */
  line: number
}

/** Reads the triggers of a skill. Problems of a triggers.yaml are reported by `skillshelf test`. */
export async function readSkillTriggers(
  source: SkillSource,
  skill: TreeSkill,
  signal: AbortSignal | undefined,
): Promise<Trigger[]> {
  const triggers = await frontmatterTriggers(skill)
  for (const { path } of skill.details.files.filter(({ path }) => isTriggerFile(path))) {
    const file = joinPath(skill.entry.path, path)
    const result = await source.read(file, { signal })
    if (!result || result === 'unchanged') continue
    const { cases } = readTriggers(decodeText(result.bytes).text, file)
    triggers.push(...cases.map(({ message, skills, line }) => ({ message, skills, path: file, line })))
  }
  return triggers
}

async function frontmatterTriggers({ file, details: { frontmatter } }: TreeSkill): Promise<Trigger[]> {
  const lines = frontmatter.split('\n')
  const start = lines.findIndex(line => /^triggers\s*:/.test(line))
  if (start < 0) return []
  const { triggers } = (await readYaml(frontmatter, 1)).values
  if (!Array.isArray(triggers)) return []
  return triggers
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map(message => {
      const index = lines.findIndex((line, at) => at >= start && line.includes(message))
      // The frontmatter starts below the opening fence.
      return { message, skills: undefined, path: file, line: (index < 0 ? start : index) + 2 }
    })
}
