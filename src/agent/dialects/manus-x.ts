import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { plainLine } from '../../core/sanitize.js'
import type { Skill } from '../../skill/skill.js'
import type { Requester } from '../session/open-skills.js'
import { defineTool, type SkillTool, type ToolResult } from '../session/tool.js'
import type { Dialect, Session } from '../session/types.js'
import { locateFile } from './file-location.js'
import { boundedListing, fullListing, type ListingFormat } from './listing.js'
import { fileText, inspectSkill, undefinedIfNotFound } from './lookup.js'

/** `Skill` of ManusX. */
export interface ManusXSkill {
  name: string
  description: string
  /** Instructions, trimmed. */
  body: string
  /** Path of the SKILL.md. Absolute if the source has absolute paths. */
  path: string
  /** Path of the folder. */
  dir: string
  /** Paths of the files in scripts/, references/ and assets/, in this order. */
  resources: string[]
}

/** The functions of ManusX's `SkillLoader`, and `file_read`. */
export interface ManusXSkills {
  /** `has_skills`. */
  hasSkills(): boolean
  /** `get_descriptions`: a `- name: description` line for each skill, without a size limit. */
  getDescriptions(): string
  /** `skills.get(name)`. `undefined` if no skill matches. */
  getSkill(name: string, options?: AbortOptions): Promise<ManusXSkill | undefined>
  /** `get_skill_content`: opens the skill in the session. `undefined` if no skill matches, `''` if the body is empty. */
  getSkillContent(name: string, options?: AbortOptions): Promise<string | undefined>
  /**
   * `file_read`: reads a file by its full path, or relative to the skill requested last.
   * @throws SkillshelfError `resource-not-found`, `not-loaded`, `unsupported`, `not-allowed`
   */
  fileRead(file: string, options?: AbortOptions): Promise<string>
}

const FOLDERS = ['scripts/', 'references/', 'assets/']
const line: ListingFormat['line'] = ({ name, description }) => `- ${name}: ${description}`
const SECTION: ListingFormat = {
  head: '## Available Skills\n\nYou have access to the following domain expertise:',
  line,
  foot: '\nWhen a task matches a skill, request its full content.',
}

/**
 * The ManusX dialect: a list of skills in the system prompt, and the tools `skill_request` and `file_read`.
 *
 * @example
 * ```ts
 * const session = createSession(library, { dialect: manusX })
 * const { text } = await callTool(session, 'skill_request', { skill_name: 'pdf' })
 * ```
 */
export const manusX: Dialect = {
  name: 'ManusX',
  placement: 'result',
  catalog: session => boundedListing(session, SECTION),
  skillText: (_, { skill }) => formatContent(skill),
  reminder: skill =>
    `The skill ${plainLine(skill.name)} was left out of this conversation: call skill_request to restore it.`,
  toolNames: ['skill_request', 'file_read'],
  tools: session => [skillRequest(session), fileRead(session)],
}

/**
 * Returns ManusX's own skill functions for a session.
 *
 * @param session A session with the `manusX` dialect.
 * @example
 * ```ts
 * const content = await manusXOf(session).getSkillContent('pdf')
 * ```
 */
export function manusXOf(session: Session): ManusXSkills {
  const by: Requester = 'host'
  return {
    hasSkills: () => session.offered.length > 0,
    getDescriptions: () => fullListing(session, { line }),
    async getSkill(name, options = {}) {
      const skill = await undefinedIfNotFound(inspectSkill(session, name, { ...options, by }))
      return skill && toManusXSkill(skill)
    },
    async getSkillContent(name, options = {}) {
      const loaded = await undefinedIfNotFound(session.load(name, { ...options, by }))
      return loaded && formatContent(loaded.skill)
    },
    fileRead: (file, options = {}) => readFile(session, file, { ...options, by }),
  }
}

function toManusXSkill({ name, description, instructions, root, file, files }: Skill): ManusXSkill {
  const resources = FOLDERS.flatMap(folder => files.map(({ path }) => path).filter(path => path.startsWith(folder)))
  return { name, description, body: instructions, path: `${root}/${file}`, dir: root, resources }
}

function formatContent(skill: Skill): string {
  const { body, dir, resources } = toManusXSkill(skill)
  if (resources.length === 0) return body
  const files = resources.map(path => `- ${plainLine(path)}\n`).join('')
  return `${body}\n\n## Available Resources\nDirectory: ${plainLine(dir)}\n${files}`
}

async function readFile(session: Session, file: string, options: AbortOptions & { by: Requester }): Promise<string> {
  const { skill, path } = await locateFile(session, file, options)
  return fileText(await session.read(skill, path, options))
}

const requestInput = z.object({
  skill_name: z.string().check(z.minLength(1), z.describe('Name of the skill')),
})
const fileInput = z.object({
  file: z.string().check(z.minLength(1), z.describe('Full path of the file, or relative to the skill requested last')),
})

const failed = (message: string): ToolResult => ({ text: message, isError: true, data: { success: false, message } })

function skillRequest(session: Session): SkillTool {
  return defineTool({
    name: 'skill_request',
    description: 'Gives the full content of a skill, and where its resources are.',
    input: requestInput,
    failed,
    async run({ skill_name: name }, options) {
      const loaded = await undefinedIfNotFound(session.load(name, { ...options, by: 'model' }))
      if (!loaded) return failed(`Skill '${name}' not found`)
      const content = formatContent(loaded.skill)
      const empty = loaded.skill.diagnostics.find(({ code }) => code === 'empty-body')
      return {
        text: content === '' && empty ? empty.message : content,
        isError: false,
        data: { success: true, data: { content }, ...(empty ? { message: empty.message } : {}) },
      }
    },
  })
}

function fileRead(session: Session): SkillTool {
  return defineTool({
    name: 'file_read',
    description: 'Reads a file of a skill.',
    input: fileInput,
    failed,
    async run({ file }, options) {
      const content = await readFile(session, file, { ...options, by: 'model' })
      return { text: content, isError: false, data: { success: true, data: { content } } }
    },
  })
}
