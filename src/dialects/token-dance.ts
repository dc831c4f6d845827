import * as z from 'zod/mini'
import { isSkillshelfError, SkillshelfError } from '../core/errors.js'
import { joinPath, safePath } from '../core/paths.js'
import type { AbortOptions } from '../library/types.js'
import { offeredMatches } from '../session/offered-matches.js'
import { defineTool } from '../session/tools/tool.js'
import type { SkillTool } from '../session/tools/types.js'
import type { Dialect, Requester, Session } from '../session/types.js'
import type { Skill } from '../skill/types.js'
import { boundedListing, type ListingForm, listing, nameOf } from './listing.js'
import { inspectOffered, inspectSkill, withNotFoundMessage } from './lookup.js'
import { fileText } from './text-of-file.js'

/** TokenDance's record of a skill, with its defaults. What has none and is absent is left out. */
export interface TokenDanceMetadata {
  /** The name; our id where several skills have it. */
  id: string
  name: string
  /** Default: the name. */
  display_name: string
  description: string
  version?: string
  author?: string
  tags: readonly string[]
  /** Left out: unrestricted. Empty: none. */
  allowed_tools?: readonly string[]
  /** Default 30. */
  max_iterations: number
  /** Seconds. Default 300. */
  timeout: number
  /** Those that are not enabled are nowhere. */
  enabled: true
}

export interface TokenDanceMatch {
  skill_id: string
  score: number
  reason: string
}

/** TokenDance's three components over one session. */
export interface TokenDanceSkills {
  registry: {
    /** `undefined` where there is none. */
    get(skillId: string, options?: AbortOptions): Promise<TokenDanceMetadata | undefined>
    /** `get_all`. */
    getAll(options?: AbortOptions): Promise<TokenDanceMetadata[]>
    /** `generate_system_prompt_fragment`: the header line in any case, and all skills. */
    generateSystemPromptFragment(): string
  }
  matcher: {
    /** The best skill whose score is above 0.7, of the `topK` (3) nearest; `undefined` where there is none. */
    match(userMessage: string, topK?: number, options?: AbortOptions): Promise<TokenDanceMatch | undefined>
  }
  loader: {
    /** `load_l2`: the skill is open in the session from then on. @throws `skill-not-found`: `Skill file not found: …`; `too-large` */
    loadL2(skillId: string, options?: AbortOptions): Promise<string>
    /** `load_l3_resource`: text of a file in resources/. @throws `resource-not-found`: `Resource not found: …`; `invalid-path` */
    loadL3Resource(skillId: string, resourcePath: string, options?: AbortOptions): Promise<string>
    /** `get_resource_path`: of a file or folder in resources/, for a tool that runs it. @throws as `loadL3Resource` */
    getResourcePath(skillId: string, resourceName: string, options?: AbortOptions): Promise<string>
  }
}

const FOLDER = 'resources'
const MAX_ITERATIONS = 30
const TIMEOUT = 300
const TOP_K = 3
const HEADER = '[Available Skills]'
const fragment: ListingForm = {
  head: HEADER,
  line: ({ name, displayName = name, description }) => `- ${displayName}: ${description}`,
}

/** TokenDance: a list in the prompt, the instructions of what matched below it, resources on demand. */
export const tokenDance: Dialect = {
  name: 'TokenDance',
  placement: 'section',
  catalog: session => boundedListing(session, fragment) || HEADER,
  skillText: (_, { skill }) => skill.instructions,
  // Instructions stand in the head of the prompt: they cannot fall out.
  reminder: () => '',
  sections: ({ open }) =>
    open
      .map(({ skill }) => skill.instructions)
      .filter(text => text !== '')
      .join('\n\n'),
  toolNames: ['load_l3_resource', 'get_resource_path'],
  tools: toolsOf,
}

export function tokenDanceOf(session: Session): TokenDanceSkills {
  return {
    registry: {
      async get(skillId, at = {}) {
        try {
          return metadataOf(session, await session.library.get(skillId, at))
        } catch (error) {
          if (isSkillshelfError(error, 'skill-not-found')) return undefined
          throw error
        }
      },
      getAll: async (at = {}) => (await inspectOffered(session, at)).map(skill => metadataOf(session, skill)),
      generateSystemPromptFragment: () => listing(session, fragment) || HEADER,
    },
    matcher: {
      async match(userMessage, topK = TOP_K, at = {}) {
        const { library, offered } = session
        const [first] = await offeredMatches(session, topK, limit => library.match(userMessage, { ...at, limit }))
        const skill = offered.find(({ id }) => id === first?.id)
        return first && skill && { skill_id: nameOf(session)(skill), score: first.score, reason: first.reason }
      },
    },
    loader: loaderOf(session, 'host'),
  }
}

function metadataOf(session: Session, skill: Skill): TokenDanceMetadata {
  const { name, displayName, description, metadata } = skill
  const { version, author, tags = [], allowedTools, maxIterations, timeout } = metadata
  return {
    id: nameOf(session)(skill),
    name,
    display_name: displayName ?? name,
    description,
    ...(version === undefined ? {} : { version }),
    ...(author === undefined ? {} : { author }),
    tags,
    ...(allowedTools === undefined ? {} : { allowed_tools: allowedTools }),
    max_iterations: maxIterations ?? MAX_ITERATIONS,
    timeout: timeout ?? TIMEOUT,
    enabled: true,
  }
}

function loaderOf(session: Session, by: Requester): TokenDanceSkills['loader'] {
  const absent = (skillId: string, path: string) => ({
    'skill-not-found': `Skill file not found: ${skillId}/SKILL.md`,
    'resource-not-found': `Resource not found: ${skillId}/${path}`,
  })
  const inResources = (path: string): string => joinPath(FOLDER, safePath(path))
  return {
    async loadL2(skillId, at = {}) {
      const { skill } = await withNotFoundMessage(session.load(skillId, { ...at, by }), absent(skillId, ''))
      return skill.instructions
    },
    async loadL3Resource(skillId, resourcePath, at = {}) {
      const path = inResources(resourcePath)
      return fileText(await withNotFoundMessage(session.read(skillId, path, { ...at, by }), absent(skillId, path)))
    },
    async getResourcePath(skillId, resourceName, at = {}) {
      const path = inResources(resourceName)
      const says = absent(skillId, path)
      const { root, files } = await withNotFoundMessage(inspectSkill(session, skillId, { ...at, by }), says)
      if (files.some(file => file.path === path || file.path.startsWith(`${path}/`))) return `${root}/${path}`
      throw new SkillshelfError('resource-not-found', says['resource-not-found'], { subject: resourceName })
    },
  }
}

const skillId = z.string().check(z.minLength(1), z.describe('The skill, as it is listed'))
const resourceInput = z.object({
  skill_id: skillId,
  resource_path: z.string().check(z.minLength(1), z.describe('Relative to resources/')),
})
const pathInput = z.object({
  skill_id: skillId,
  resource_name: z.string().check(z.minLength(1), z.describe('Relative to resources/')),
})

function toolsOf(session: Session): SkillTool[] {
  const loader = loaderOf(session, 'model')
  return [
    defineTool({
      name: 'load_l3_resource',
      description: 'Reads a resource of a skill: a sub-skill, a template, an example.',
      input: resourceInput,
      run: ({ skill_id, resource_path }, at) => loader.loadL3Resource(skill_id, resource_path, at),
    }),
    defineTool({
      name: 'get_resource_path',
      description: 'Gives the path of a resource of a skill, such as a script for code_execute.',
      input: pathInput,
      run: ({ skill_id, resource_name }, at) => loader.getResourcePath(skill_id, resource_name, at),
    }),
  ]
}
