import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { joinPath, safePath } from '../../core/paths.js'
import { lineFeeds, taglessLine } from '../../core/sanitize.js'
import type { SkillMatch } from '../../library/api/match-result.js'
import type { Skill } from '../../skill/skill.js'
import { offeredMatches } from '../session/matches.js'
import type { Requester } from '../session/open-skills.js'
import { defineTool, dialectTools, requiredText } from '../session/tool.js'
import type { Dialect, Session } from '../session/types.js'
import { boundedListing, fullListing, type ListingFormat, listedName } from './listing.js'
import {
  fileText,
  inspectOffered,
  inspectSkill,
  locationOf,
  undefinedIfNotFound,
  withNotFoundMessage,
} from './lookup.js'

/** `SkillMetadata` of TokenDance, with its defaults. Absent fields without a default are left out. */
export interface TokenDanceMetadata {
  /** The name, or the full id if several skills have the same name. */
  id: string
  name: string
  /** @default the name */
  display_name: string
  description: string
  version?: string
  author?: string
  tags: readonly string[]
  /** Absent: unrestricted. Empty: no tools. */
  allowed_tools?: readonly string[]
  /** @default 30 */
  max_iterations: number
  /** In seconds. @default 300 */
  timeout: number
  /** Always `true`: disabled skills are hidden everywhere. */
  enabled: true
}

/** Result of TokenDance's matcher. */
export interface TokenDanceMatch {
  skill_id: string
  score: number
  reason: string
}

/** The registry, matcher and loader of TokenDance for one session. */
export interface TokenDanceSkills {
  registry: {
    /** Returns the metadata of a skill, or `undefined` if no skill matches. */
    get(skillId: string, options?: AbortOptions): Promise<TokenDanceMetadata | undefined>
    /** `get_all`. Skills that cannot be read are left out. */
    getAll(options?: AbortOptions): Promise<TokenDanceMetadata[]>
    /** `generate_system_prompt_fragment`: the header line, and a line for each skill, without a size limit. */
    generateSystemPromptFragment(): string
  }
  matcher: {
    /**
     * Returns the best of the `topK` nearest skills if its score is above 0.7, else `undefined`. The reranker of the library, if
     * any, chooses from these skills only. Default of `topK`: 3.
     */
    match(
      userMessage: string,
      topK?: number,
      options?: AbortOptions,
    ): Promise<TokenDanceMatch | undefined>
  }
  loader: {
    /**
     * `load_l2`: opens the skill in the session and returns its instructions.
     * @throws SkillshelfError `skill-not-found` with the message `Skill file not found: …`; `too-large`, `not-allowed`
     */
    loadL2(skillId: string, options?: AbortOptions): Promise<string>
    /**
     * `load_l3_resource`: text of a file in resources/.
     * @throws SkillshelfError `resource-not-found` with the message `Resource not found: …`; `invalid-path`, `unsupported`
     */
    loadL3Resource(skillId: string, resourcePath: string, options?: AbortOptions): Promise<string>
    /** `get_resource_path`: path of a file or folder in resources/, for a tool that runs it. @throws SkillshelfError as `loadL3Resource` */
    getResourcePath(skillId: string, resourceName: string, options?: AbortOptions): Promise<string>
  }
}

const FOLDER = 'resources'
const MAX_ITERATIONS = 30
const TIMEOUT = 300
const TOP_K = 3
const HEADER = '[Available Skills]'
const FRAGMENT: ListingFormat = {
  head: HEADER,
  line: ({ name, displayName = name, description }) => `- ${displayName}: ${description}`,
}

const skill_id = requiredText('The skill, as listed')
const inResources = requiredText('Relative to resources/')
const TOOLS = [
  defineTool({
    name: 'load_l2',
    description:
      'Loads the instructions of a skill into the system prompt. Load the skill that fits the message, then follow it.',
    input: z.object({ skill_id }),
    skill: 'skill_id',
    async run(session, { skill_id }, options) {
      await createLoader(session, 'model').loadL2(skill_id, options)
      return `${taglessLine(skill_id)} is loaded: its instructions are in the system prompt.`
    },
  }),
  defineTool({
    name: 'load_l3_resource',
    description: 'Reads a resource of a skill: a sub-skill, a template, an example.',
    input: z.object({ skill_id, resource_path: inResources }),
    skill: 'skill_id',
    file: { argument: 'resource_path', folder: FOLDER },
    run: (session, input, options) =>
      createLoader(session, 'model').loadL3Resource(input.skill_id, input.resource_path, options),
  }),
  defineTool({
    name: 'get_resource_path',
    description: 'Gives the path of a resource of a skill, such as a script for code_execute.',
    input: z.object({ skill_id, resource_name: inResources }),
    skill: 'skill_id',
    file: { argument: 'resource_name', folder: FOLDER },
    run: (session, input, options) =>
      createLoader(session, 'model').getResourcePath(input.skill_id, input.resource_name, options),
  }),
]

/**
 * The TokenDance dialect: a list of skills and the loaded instructions in the system prompt, a tool that loads a skill, and tools
 * for resources. Call `prepare` before each step of the agent loop: its `system` has what the model has just loaded.
 *
 * From TokenDance to skillshelf; functions are asynchronous, except those marked sync:
 * - `SkillRegistry(skills_dir)` → `openLibrary(…)`, `tokenDanceOf(session).registry`
 * - `registry.get(id)`, `get_all()` → `registry.get(id)`, `registry.getAll()`. Defaults: `display_name` is the name, `tags` is
 *   `[]`, `max_iterations` 30, `timeout` 300
 * - `generate_system_prompt_fragment()` → `registry.generateSystemPromptFragment()` *sync*; in a prompt,
 *   `session.prepare(…).system`
 * - `SkillMatcher(registry, embedding_model, llm)` → `openLibrary(…, { embedder: bundled(), rerank: llmRerank(ask) })`
 * - one stage of the matcher → `openLibrary(…, { stages: 'keyword' })` or `{ stages: 'embedding' }`
 * - `matcher.match(message, top_k=3)` → `matcher.match(message, 3)`: `{ skill_id, score, reason }`; `undefined` instead of `None`
 * - a match is loaded at once → `createSession(…, { auto: true })`: `prepare` loads the first match, as the document does.
 *   Without `auto`, the model loads it with the tool `load_l2`. Or call `loader.loadL2(match.skill_id)`
 * - `loader.load_l2(id)` → `loader.loadL2(id)`. The skill stays open and in the prompt until `session.unload(id)`
 * - `load_l3_resource(id, path)` → `loader.loadL3Resource(id, path)` for text; `session.read(id, 'resources/…')` for bytes
 * - `get_resource_path(id, name)` → `loader.getResourcePath(id, name)`. Throws if nothing is there
 * - `allowed_tools` prunes the tools → `session.prune(tools)`; calls that need no question: `session.permits(tool, argument)`
 * - `max_iterations`, `timeout` → `session.limits()`: the largest of the open skills, 30 and 300 where a skill has none
 * - required fields → `npx skillshelf validate --dialect tokendance`
 * - `allowed_tools` left out is `[]` → Left out means all tools. `[]` means no tools
 * @example
 * ```ts
 * const session = createSession(library, { dialect: tokenDance, auto: true })
 * const { system } = await session.prepare('帮我调研AI市场')
 * ```
 */
export const tokenDance: Dialect = {
  name: 'TokenDance',
  placement: 'section',
  catalog: session => boundedListing(session, FRAGMENT) || HEADER,
  skillText: (_, { skill }) => lineFeeds(skill.instructions),
  // Instructions in the system prompt cannot be lost.
  reminder: () => '',
  sections: (_, { skills }) =>
    skills
      .map(({ skill }) => lineFeeds(skill.instructions))
      .filter(text => text !== '')
      .join('\n\n'),
  ...dialectTools(...TOOLS),
  opener: 'load_l2',
  limits: { maxIterations: MAX_ITERATIONS, timeout: TIMEOUT },
}

/**
 * Returns TokenDance's registry, matcher and loader for a session.
 * @param session A session with the `tokenDance` dialect.
 * @example
 * ```ts
 * const { matcher, loader } = tokenDanceOf(session)
 * const match = await matcher.match('帮我做一个PPT')
 * const instructions = match && (await loader.loadL2(match.skill_id))
 * ```
 */
export function tokenDanceOf(session: Session): TokenDanceSkills {
  return {
    registry: {
      async get(skillId, options = {}) {
        const skill = await undefinedIfNotFound(session.library.get(skillId, options))
        return skill && metadataOf(session, skill)
      },
      getAll: async (options = {}) =>
        (await inspectOffered(session, options)).map(skill => metadataOf(session, skill)),
      generateSystemPromptFragment: () => fullListing(session, FRAGMENT) || HEADER,
    },
    matcher: {
      async match(userMessage, topK = TOP_K, options = {}) {
        const { library } = session
        const candidates = await countCandidates(session, userMessage, topK, options)
        if (candidates === 0) return undefined
        const { matches } = await library.match(userMessage, {
          ...options,
          limit: candidates,
          candidates,
        })
        const { offered } = session
        const first = matches.find(({ id }) => offered.some(skill => skill.id === id))
        const skill = offered.find(({ id }) => id === first?.id)
        return (
          first &&
          skill && {
            skill_id: listedName(session)(skill),
            score: first.score,
            reason: first.reason,
          }
        )
      },
    },
    loader: createLoader(session, 'host'),
  }
}

/** The number of nearest skills of the library that contain the `topK` nearest skills of the session. */
async function countCandidates(
  session: Session,
  message: string,
  topK: number,
  options: AbortOptions,
): Promise<number> {
  const { library, offered } = session
  if (offered.length === library.snapshot.skills.length) return topK
  let nearest: readonly SkillMatch[] = []
  const { matches: considered } = await offeredMatches(session, topK, async limit => {
    const result = await library.search(message, { ...options, limit })
    nearest = result.matches
    return result
  })
  return nearest.findIndex(({ id }) => id === considered.at(-1)?.id) + 1
}

function metadataOf(session: Session, skill: Skill): TokenDanceMetadata {
  const { name, displayName, description, metadata } = skill
  const { version, author, tags = [], allowedTools, maxIterations, timeout } = metadata
  return {
    id: listedName(session)(skill),
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

function createLoader(session: Session, by: Requester): TokenDanceSkills['loader'] {
  const resourceMessage = (skillId: string, path: string): string =>
    `Resource not found: ${skillId}/${path}`
  const withMessage = <T>(promise: Promise<T>, skillId: string, path = ''): Promise<T> =>
    withNotFoundMessage(promise, {
      'skill-not-found': `Skill file not found: ${skillId}/SKILL.md`,
      'resource-not-found': resourceMessage(skillId, path),
    })
  const inResources = (path: string): string => joinPath(FOLDER, safePath(path))
  return {
    async loadL2(skillId, options = {}) {
      const { skill } = await withMessage(session.load(skillId, { ...options, by }), skillId)
      return lineFeeds(skill.instructions)
    },
    async loadL3Resource(skillId, resourcePath, options = {}) {
      const path = inResources(resourcePath)
      return fileText(
        await withMessage(session.read(skillId, path, { ...options, by }), skillId, path),
      )
    },
    async getResourcePath(skillId, resourceName, options = {}) {
      const path = inResources(resourceName)
      const location = await withMessage(
        inspectSkill(session, skillId, { ...options, by }).then(skill =>
          locationOf(session, skill, path, options),
        ),
        skillId,
        path,
      )
      if (location !== undefined) return location
      throw new SkillshelfError('resource-not-found', resourceMessage(skillId, path), {
        subject: resourceName,
      })
    },
  }
}
