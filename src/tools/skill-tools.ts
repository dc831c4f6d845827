import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import type { SkillLibrary } from '../library/types.js'
import { escapeLine, escapeText } from '../prompt/escape.js'
import { shownNames } from '../prompt/shown-name.js'
import { isSkillshelfError, SkillshelfError } from '../skill/error.js'
import type { Skill, SkillFile } from '../skill/types.js'

/** What a tool gives: text for the model. Errors are data, so that no caller loses their message. */
export interface ToolResult {
  text: string
  isError: boolean
}

/** A tool, tied to no agent kit. */
export interface SkillTool {
  name: string
  description: string
  /** JSON Schema of the input: an object. */
  inputSchema: Readonly<Record<string, unknown>>
  /** Never throws but for an abort: what the model did wrong comes back as a correction. */
  execute(input: unknown, options?: { signal?: AbortSignal }): Promise<ToolResult>
}

/** Characters of a file or of instructions in one result. */
const MAX_TEXT = 40_000
const MAX_QUERY = 4_000
const MAX_FILES = 200

const wording = english().localeError

const describe = (description: string) => z.describe(description)
const skillName = z.string().check(z.minLength(1), describe('The name or id of the skill'))

const searchInput = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(MAX_QUERY), describe('What is needed, in any language')),
  limit: z.optional(z.int().check(z.gte(1), z.lte(20), describe('Skills at most. Default 5'))),
})
const loadInput = z.object({ skill: skillName })
const readInput = z.object({
  skill: skillName,
  path: z.string().check(z.minLength(1), describe("Relative to the skill's folder, as load_skill lists it")),
  offset: z.optional(z.int().check(z.gte(0), describe('First character to give. Default 0'))),
})

/**
 * The tools that let a model find, open and read skills: `search_skills`, `load_skill`, `read_skill_file`. None where the
 * library has no skill that a model may open. Each call sees the library as it is then.
 */
export function skillTools(library: SkillLibrary): readonly SkillTool[] {
  if (library.snapshot.skills.every(skill => skill.disableModelInvocation)) return []
  return [
    tool(
      'search_skills',
      'Finds the skills that are nearest to a need, best first.',
      searchInput,
      async (input, at) => {
        const { skills } = library.snapshot
        const { matches } = await library.search(input.query, { ...at, limit: input.limit ?? 5 })
        const name = shownNames(skills)
        const lines = matches.flatMap(match => {
          const skill = skills.find(({ id }) => id === match.id)
          if (!skill || skill.disableModelInvocation) return []
          return [
            '<skill>',
            `<name>${escapeLine(name(skill))}</name>`,
            `<description>${escapeLine(skill.description)}</description>`,
            `<score>${match.score.toFixed(2)}</score>`,
            '</skill>',
          ]
        })
        return lines.length === 0 ? 'No skill is near to this.' : ['<skills>', ...lines, '</skills>'].join('\n')
      },
    ),
    tool(
      'load_skill',
      'Opens a skill: its instructions, and the files beside them. Follow the instructions.',
      loadInput,
      async (input, at) => contentOf(await openable(library, input.skill, at)),
    ),
    tool('read_skill_file', 'Reads a file of a skill, a script too. Nothing is run.', readInput, async (input, at) => {
      const skill = await openable(library, input.skill, at)
      return textOf(skill, await library.read(skill.id, input.path, at), input.offset ?? 0)
    }),
  ]
}

type Signal = { signal?: AbortSignal }

function tool<Schema extends z.ZodMiniType>(
  name: string,
  description: string,
  schema: Schema,
  run: (input: z.output<Schema>, at: Signal) => Promise<string>,
): SkillTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema) as Record<string, unknown>
  return {
    name,
    description,
    inputSchema,
    async execute(input, at = {}) {
      // The wording is given here: setting it for all of zod would touch what others share.
      const read = schema.safeParse(input, { error: wording })
      if (!read.success) {
        const faults = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the input'}: ${message}`)
        return failed(`${name} was not run. ${faults.join('; ')}`)
      }
      try {
        return { text: await run(read.data, at), isError: false }
      } catch (error) {
        if (!isSkillshelfError(error) || error.code === 'aborted') throw error
        return failed(error.message)
      }
    },
  }
}

function failed(message: string): ToolResult {
  return { text: `<error>${escapeText(message)}</error>`, isError: true }
}

async function openable(library: SkillLibrary, name: string, at: Signal): Promise<Skill> {
  const skill = await library.get(name, at)
  if (skill.disableModelInvocation)
    throw new SkillshelfError('unsupported', `${skill.name} is opened by people only`, { subject: skill.id })
  return skill
}

function contentOf(skill: Skill): string {
  const { instructions, files } = skill
  const shown = files.slice(0, MAX_FILES)
  return [
    `<skill_content name="${escapeLine(skill.name)}">`,
    escapeText(part(instructions, 0, skill.file)),
    ...(files.length === 0
      ? []
      : [
          '<skill_resources>',
          ...shown.map(({ path }) => `<file>${escapeLine(path)}</file>`),
          ...(shown.length < files.length ? [`<more>${files.length - shown.length} more files</more>`] : []),
          '</skill_resources>',
        ]),
    '</skill_content>',
  ].join('\n')
}

function textOf(skill: Skill, file: SkillFile, offset: number): string {
  const open = `<skill_file skill="${escapeLine(skill.name)}" path="${escapeLine(file.path)}" location="${escapeLine(file.location)}"`
  if (file.text === undefined)
    return `${open} media_type="${file.mediaType}" bytes="${file.bytes.length}">not text</skill_file>`
  return `${open}>\n${escapeText(part(file.text, offset, file.path))}\n</skill_file>`
}

/** A piece of a text that is not too long, with where the rest is. */
function part(text: string, offset: number, path: string): string {
  const cut = offset + MAX_TEXT
  // Both halves of a character stay together.
  const end = /[\ud800-\udbff]/.test(text[cut - 1] ?? '') ? cut - 1 : cut
  const rest = text.length - end
  const piece = text.slice(offset, end)
  return rest <= 0
    ? piece
    : `${piece}\n[${rest} more characters: read_skill_file with path ${JSON.stringify(path)} and offset ${end}]`
}
