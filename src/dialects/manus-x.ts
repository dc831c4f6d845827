import * as z from 'zod/mini'
import { isSkillshelfError } from '../core/errors.js'
import { plainLine } from '../core/sanitize.js'
import type { AbortOptions } from '../library/types.js'
import { defineTool } from '../session/tools/tool.js'
import type { SkillTool, ToolResult } from '../session/tools/types.js'
import type { Dialect, Requester, Session } from '../session/types.js'
import type { Skill } from '../skill/types.js'
import { locateFile } from './file-location.js'
import { boundedListing, type ListingForm, listing } from './listing.js'
import { inspectSkill } from './lookup.js'
import { fileText } from './text-of-file.js'

/** ManusX's model of a skill. */
export interface ManusXSkill {
  name: string
  description: string
  /** Instructions, trimmed. */
  body: string
  /** Of the SKILL.md: absolute where the source has such paths. */
  path: string
  /** Of its folder. */
  dir: string
  /** Files in scripts/, references/ and assets/, in this order. */
  resources: string[]
}

/** The functions of ManusX's SkillLoader, and its tool for files. */
export interface ManusXSkills {
  /** `has_skills`. */
  hasSkills(): boolean
  /** `get_descriptions`: `- name: description` lines, however many skills there are. */
  getDescriptions(): string
  /** `skills.get(name)`. `undefined` where there is none. */
  getSkill(name: string, options?: AbortOptions): Promise<ManusXSkill | undefined>
  /** `get_skill_content`: the skill is open in the session from then on. `undefined` where there is none, `''` for an empty body. */
  getSkillContent(name: string, options?: AbortOptions): Promise<string | undefined>
  /** `file_read`: a file of a skill, by its whole path or relative to the skill that was requested last. @throws `resource-not-found`, … */
  fileRead(file: string, options?: AbortOptions): Promise<string>
}

const FOLDERS = ['scripts/', 'references/', 'assets/']
const line: ListingForm['line'] = ({ name, description }) => `- ${name}: ${description}`
const section: ListingForm = {
  head: '## Available Skills\n\nYou have access to the following domain expertise:',
  line,
  foot: '\nWhen a task matches a skill, request its full content.',
}

/** ManusX: a list in the prompt, the body by `skill_request`, files by `file_read`. */
export const manusX: Dialect = {
  name: 'ManusX',
  placement: 'result',
  catalog: session => boundedListing(session, section),
  skillText: (_, { skill }) => contentOf(skill),
  reminder: skill =>
    `The skill ${plainLine(skill.name)} was left out of this conversation: skill_request brings it back.`,
  toolNames: ['skill_request', 'file_read'],
  tools: session => [skillRequest(session), fileRead(session)],
}

export function manusXOf(session: Session): ManusXSkills {
  const by: Requester = 'host'
  return {
    hasSkills: () => session.offered.length > 0,
    getDescriptions: () => listing(session, { line }),
    async getSkill(name, at = {}) {
      const skill = await orNone(inspectSkill(session, name, { ...at, by }))
      return skill && modelOf(skill)
    },
    async getSkillContent(name, at = {}) {
      const loaded = await orNone(session.load(name, { ...at, by }))
      return loaded && contentOf(loaded.skill)
    },
    fileRead: (file, at = {}) => readFile(session, file, { ...at, by }),
  }
}

async function orNone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) return undefined
    throw error
  }
}

function modelOf({ name, description, instructions, root, file, files }: Skill): ManusXSkill {
  const resources = FOLDERS.flatMap(folder => files.map(({ path }) => path).filter(path => path.startsWith(folder)))
  return { name, description, body: instructions, path: `${root}/${file}`, dir: root, resources }
}

function contentOf(skill: Skill): string {
  const { body, dir, resources } = modelOf(skill)
  if (resources.length === 0) return body
  const files = resources.map(path => `- ${plainLine(path)}\n`).join('')
  return `${body}\n\n## Available Resources\nDirectory: ${plainLine(dir)}\n${files}`
}

async function readFile(session: Session, file: string, at: AbortOptions & { by: Requester }): Promise<string> {
  const { skill, path } = await locateFile(session, file, at)
  return fileText(await session.read(skill, path, at))
}

const requestInput = z.object({
  skill_name: z.string().check(z.minLength(1), z.describe('Name of the skill')),
})
const fileInput = z.object({
  file: z.string().check(z.minLength(1), z.describe('Path of the file, whole or relative to the skill requested last')),
})

const failed = (message: string): ToolResult => ({ text: message, isError: true, data: { success: false, message } })

function skillRequest(session: Session): SkillTool {
  return defineTool({
    name: 'skill_request',
    description: 'Gives the full content of a skill, and where its resources are.',
    input: requestInput,
    failed,
    async run({ skill_name: name }, at) {
      const loaded = await orNone(session.load(name, { ...at, by: 'model' }))
      if (!loaded) return failed(`Skill '${name}' not found`)
      const content = contentOf(loaded.skill)
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
    async run({ file }, at) {
      const content = await readFile(session, file, { ...at, by: 'model' })
      return { text: content, isError: false, data: { success: true, data: { content } } }
    },
  })
}
