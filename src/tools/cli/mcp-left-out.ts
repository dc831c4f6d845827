import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { isSkillshelfError } from '../../core/errors.js'
import { plainLine } from '../../core/sanitize.js'
import type { TreeSkill } from '../../library/catalog/types.js'
import type { SkillLibrary } from '../../library/types.js'
import { findExtensionProblem } from '../../server/mcp/extension-rules.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { readYaml } from '../../skill/yaml.js'
import type { Io } from './io.js'
import { plural } from './text.js'

const MAX_LINES = 10

/** Reports every skill that the Skills extension of MCP leaves out. */
export function leftOutOfMcp(skills: readonly TreeSkill[]): Promise<Diagnostic[]> {
  return mapParallel(skills, PARALLEL_READS, async ({ entry: { name }, details, file }) => {
    const problem = await findProblem(details.frontmatter, name, details.files.length + 1)
    return problem === undefined
      ? []
      : [
          {
            code: 'mcp-left-out' as const,
            severity: 'info' as const,
            message: `The MCP Skills extension leaves it out, tools, resources and prompts have it: ${problem}`,
            path: file,
            hint: 'correct the frontmatter',
          },
        ]
  }).then(lists => lists.flat())
}

/**
 * Prints the skills that the Skills extension of MCP leaves out.
 * @param reads Read every skill. Otherwise only names and descriptions are checked, which need no request.
 */
export async function reportLeftOutOfMcp(io: Io, library: SkillLibrary, reads: boolean): Promise<void> {
  const { skills } = library.snapshot
  const problems = await mapParallel(skills, PARALLEL_READS, async ({ id, name, description }) => {
    const problem = reads
      ? await library
          .get(id, { signal: io.signal })
          .then(({ frontmatter, files }) => findProblem(frontmatter, name, files.length + 1), ignoreUnreadable)
      : findExtensionProblem({ name, description }, name)
    return problem === undefined ? [] : [`  ${plainLine(id)}: ${plainLine(problem)}`]
  })
  const lines = problems.flat()
  if (lines.length === 0) return
  const rest = lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more`] : []
  io.stderr(
    [
      `skillshelf: the MCP Skills extension leaves out ${lines.length} of ${plural(skills.length, 'skill')}; tools, resources and prompts have them:`,
      ...lines.slice(0, MAX_LINES),
      ...rest,
      '',
    ].join('\n'),
  )
}

async function findProblem(frontmatter: string, name: string, files: number): Promise<string | undefined> {
  const { values } = await readYaml(frontmatter, 1)
  return findExtensionProblem(values, name, files)
}

/** A skill that cannot be read is reported when it is opened. */
function ignoreUnreadable(error: unknown): undefined {
  if (!isSkillshelfError(error)) throw error
}
