import { onAbort } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { isSkillshelfError } from '../../../core/errors.js'
import { plainLine } from '../../../core/sanitize.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import type { TreeSkill } from '../../../library/catalog/catalog-entry.js'
import { withoutSecrets } from '../../../library/store/without-secrets.js'
import { findExtensionProblem } from '../../../server/mcp/extension-rules.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { readYaml } from '../../../skill/yaml.js'
import { type CommandDefinition, type CommonFlags, OPTIONS, SKILLS_HELP } from '../command.js'
import { sessionOptions, type ToolDialect, toolDialectOption } from '../dialects.js'
import { EXIT, type Io, plural, printErrors, reportError } from '../io.js'
import { isUrl, openSkills } from '../open-library.js'

type McpFlags = CommonFlags & { dialect?: ToolDialect }

export const mcpCommand: CommandDefinition = (command, run) =>
  command('mcp', 'Serve skills to an agent over stdio (Model Context Protocol)', [
    'mcp skills',
    'mcp https://example.com/library/',
    'mcp skills --dialect openseed',
  ])
    .argument('[dir]', SKILLS_HELP)
    .addOption(OPTIONS.noMeaning)
    .addOption(toolDialectOption('system whose tools are offered (default: those of skillshelf)'))
    .action(run(serveMcp))

/** Serves a library over stdin and stdout until stdin closes, and changes at once. Messages for people go to stderr. */
async function serveMcp(io: Io, argument: string | undefined, flags: McpFlags): Promise<number> {
  // Loaded on demand: other commands do not need the protocol.
  const { createMcpServer, StdioServerTransport, serveStdio } = await import(
    '../../../server/mcp/stdio.js'
  )
  const opened = await openSkills(io, argument, { ...flags, watch: true })
  await using _ = opened.library
  const { where } = opened
  const library = withoutSecrets(opened.library)
  const transport = new StdioServerTransport(io.streams?.stdin, io.streams?.stdout)
  const session = sessionOptions(flags.dialect)
  const server = serveStdio(() => createMcpServer(library, { session }), {
    transport,
    onerror: error => void reportError(error, io, false),
  })
  // Keeps the transport's own listener.
  const { onclose } = transport
  const closed = new Promise<void>(resolve => {
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  printErrors(
    io,
    `skillshelf: serving ${plural(library.snapshot.skills.length, 'skill')} of ${where} over stdio (MCP)`,
  )
  void reportLeftOutOfMcp(io, library, !isUrl(argument)).catch(error =>
    reportError(error, io, false),
  )
  const close = (): void => void server.close()
  const removeListener = io.signal && onAbort(io.signal, close)
  if (io.signal?.aborted) close()
  await closed
  removeListener?.()
  return EXIT.ok
}

const MAX_LINES = 10

/** Reports every skill that the Skills extension of MCP leaves out. */
export async function leftOutOfMcp(skills: readonly TreeSkill[]): Promise<Diagnostic[]> {
  const reported = await mapParallel(
    skills,
    PARALLEL_READS,
    async (skill): Promise<Diagnostic[]> => {
      const { entry, details, file } = skill
      const problem = await findProblem(details.frontmatter, entry.name, details.files.length + 1)
      if (problem === undefined) return []
      const message = `The MCP Skills extension leaves it out, tools, resources and prompts have it: ${problem}`
      return [
        {
          code: 'mcp-left-out',
          severity: 'info',
          message,
          path: file,
          hint: 'correct the frontmatter',
        },
      ]
    },
  )
  return reported.flat()
}

/** Prints the skills that the extension leaves out. Without `reads`, checks names and descriptions only, which need no request. */
export async function reportLeftOutOfMcp(
  io: Io,
  library: SkillLibrary,
  reads: boolean,
): Promise<void> {
  const { skills } = library.snapshot
  const problems = await mapParallel(skills, PARALLEL_READS, async ({ id, name, description }) => {
    const problem = reads
      ? await library
          .get(id, { signal: io.signal })
          .then(({ frontmatter, files }) => findProblem(frontmatter, name, files.length + 1))
          .catch(error => {
            // A skill that cannot be read is reported when it is opened.
            if (!isSkillshelfError(error)) throw error
          })
      : findExtensionProblem({ name, description }, name)
    return problem === undefined ? [] : [`  ${plainLine(id)}: ${plainLine(problem)}`]
  })
  const lines = problems.flat()
  if (lines.length === 0) return
  const head = `skillshelf: the MCP Skills extension leaves out ${lines.length} of ${plural(skills.length, 'skill')}`
  const rest = lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more`] : []
  const shown = [
    `${head}; tools, resources and prompts have them:`,
    ...lines.slice(0, MAX_LINES),
    ...rest,
  ]
  printErrors(io, shown)
}

async function findProblem(
  frontmatter: string,
  name: string,
  files: number,
): Promise<string | undefined> {
  const { values } = await readYaml(frontmatter, 1)
  return findExtensionProblem(values, name, files)
}
