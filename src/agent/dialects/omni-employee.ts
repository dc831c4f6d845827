import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { markdownLine, plainLine, taglessLine } from '../../core/sanitize.js'
import { fullDescription } from '../../skill/full-description.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { OpenSkill, Requester } from '../session/open-skills.js'
import { listFiles } from '../session/skill-content.js'
import { defineTool, dialectTools, requiredText } from '../session/tool.js'
import type { Dialect, Session } from '../session/types.js'
import { boundedListing } from './listing.js'
import { inspectOffered, withNotFoundMessage } from './lookup.js'

/** The skill functions of OmniEmployee's agent. Its prompt comes from `session.prepare`. */
export interface OmniEmployeeSkills {
  /** `agent.discover_skills`. Skills that cannot be read are left out. */
  discoverSkills(options?: AbortOptions): Promise<OmniEmployeeMetadata[]>
  /**
   * `load_skill`: opens a skill and returns a message for the model.
   * @throws SkillshelfError `skill-not-found`, `too-large` with all figures, `not-allowed`
   */
  loadSkill(skill: string, options?: AbortOptions): Promise<string>
  /**
   * `load_skill_reference`: adds a file of an open skill to the context and returns a message for the model.
   * @throws SkillshelfError `not-loaded`, `resource-not-found`, `too-large`, `not-allowed`
   */
  loadSkillReference(skill: string, file: string, options?: AbortOptions): Promise<string>
  /** `agent.unload_skill`: closes a skill and its references, and returns a message for the model. @throws SkillshelfError `not-loaded` */
  unloadSkill(skill: string): string
}

/** Metadata of a skill in OmniEmployee. */
export interface OmniEmployeeMetadata {
  name: string
  description: string
  when_to_use?: string
  tags: readonly string[]
}

const skill = requiredText('Name of the skill')
const TOOLS = [
  defineTool({
    name: 'load_skill',
    description: 'Loads the full instructions of a skill into the context.',
    input: z.object({ skill }),
    skill: 'skill',
    run: (session, input, options) =>
      createActions(session, 'model').loadSkill(input.skill, options),
  }),
  defineTool({
    name: 'load_skill_reference',
    description:
      'Loads a reference of a loaded skill into the context: after an error, or for details.',
    input: z.object({
      skill,
      file: requiredText('A reference of the skill, such as reference.md'),
    }),
    skill: 'skill',
    file: { argument: 'file' },
    run: (session, input, options) =>
      createActions(session, 'model').loadSkillReference(input.skill, input.file, options),
  }),
  defineTool({
    name: 'unload_skill',
    description: 'Takes a skill that is no longer needed out of the context, with its references.',
    input: z.object({ skill }),
    skill: 'skill',
    run: async (session, input) => createActions(session, 'model').unloadSkill(input.skill),
  }),
]

/**
 * The OmniEmployee dialect: a marked list of skills in the system prompt, with loaded instructions and references below it.
 * Call `prepare` before each step of the agent loop, not only once per message: its `system` has what the model has just loaded.
 *
 * From OmniEmployee to skillshelf; functions are asynchronous, except those marked sync:
 * - `agent.discover_skills()` → `discoverSkills()`: name, description, `when_to_use`, tags. The prompt section is in
 *   `session.prepare(…).system`
 * - `load_skill(skill)` → The same tool, or `loadSkill(skill)`
 * - `load_skill_reference(skill, file)` → The same tool, or `loadSkillReference(skill, file)`. Finds files beside SKILL.md, and
 *   in references/ by file name
 * - `agent.unload_skill(skill)` → `unloadSkill(skill)` *sync*, or the tool
 * - `_unload_unused_skills` → Automatic when a skill or reference needs room. Pass the conversation with
 *   `session.observe(messages)`
 * - `skill_token_budget` 8,000, 90 % → `createSession(…, { budgets: { skill: 8_000, share: 0.9 }, contextTokens: 128_000 })`,
 *   which are the defaults of this dialect
 * - messages compacted, results truncated → `createSession(…, { compact })`, or the built-in one: `session.messages`
 * - token usage → `session.ledger()`
 * - `run with: uv run …` → The same for Python. `bash`, `node`, `npx tsx` and others by file extension
 * @example
 * ```ts
 * const session = createSession(library, { dialect: omniEmployee })
 * await callTool(session, 'load_skill', { skill: 'pdf' })
 * const { system } = await session.prepare(message)
 * ```
 */
export const omniEmployee: Dialect = {
  name: 'OmniEmployee',
  placement: 'section',
  catalog(session) {
    const open = new Set(session.open.map(({ skill }) => skill.id))
    return boundedListing(session, {
      head: '## Available Skills (use when needed)',
      describe: skill => [fullDescription(skill), tagList(skill)].filter(Boolean).join(' '),
      line: ({ id, name, description }) =>
        `- [${open.has(id) ? '✓' : '○'}] **${name}**: ${description}`,
    })
  },
  skillText: (_, open) => skillSection(open),
  // Instructions in the system prompt cannot be lost.
  reminder: () => '',
  sections: (_, { skills, references }) =>
    [
      ...(skills.length === 0 ? [] : ['## Loaded Skill Instructions']),
      ...skills.map(skillSection),
      ...referencesSection(references),
    ].join('\n\n'),
  ...dialectTools(...TOOLS),
  opener: 'load_skill',
  // `skill_token_budget` of its document.
  budgets: { skill: 8_000 },
}

function tagList({ tags }: SkillSummary): string {
  return tags.length === 0 ? '' : `(tags: ${tags.join(', ')})`
}

/**
 * Returns OmniEmployee's own skill functions for a session.
 * @param session A session with the `omniEmployee` dialect.
 * @example
 * ```ts
 * await omniEmployeeOf(session).loadSkill('pdf') // "Skill 'pdf' loaded successfully: …"
 * ```
 */
export function omniEmployeeOf(session: Session): OmniEmployeeSkills {
  return {
    async discoverSkills(options = {}) {
      const skills = await inspectOffered(session, options)
      return skills.map(({ name, description, tags, metadata: { whenToUse } }) => ({
        name,
        description,
        ...(whenToUse === undefined ? {} : { when_to_use: whenToUse }),
        tags,
      }))
    },
    ...createActions(session, 'host'),
  }
}

function createActions(
  session: Session,
  by: Requester,
): Omit<OmniEmployeeSkills, 'discoverSkills'> {
  const unloadedNote = (ids: readonly SkillId[]): string => {
    if (ids.length === 0) return ''
    const { skills } = session.library.snapshot
    const names = ids.map(id => taglessLine(skills.find(skill => skill.id === id)?.name ?? id))
    return ` Unloaded to make room: ${names.join(', ')}.`
  }
  return {
    async loadSkill(name, options = {}) {
      const { skill, status, tokens, unloaded } = await withNotFoundMessage(
        session.load(name, { ...options, by }),
        {
          'skill-not-found': `Skill '${name}' not found`,
        },
      )
      const shownName = taglessLine(skill.name)
      if (status === 'already-loaded') return `Skill '${shownName}' is already loaded.`
      return `Skill '${shownName}' loaded successfully: ${tokens} tokens under "Loaded Skill Instructions".${unloadedNote(unloaded)}`
    },
    async loadSkillReference(name, file, options = {}) {
      const load = (path: string) => session.loadReference(name, path, { ...options, by })
      const isNotFound = (error: unknown): boolean => isSkillshelfError(error, 'resource-not-found')
      try {
        // A bare name can be that of a file in references/. If both are missing, the error names the original path.
        const loaded = await load(file).catch(error => {
          if (!isNotFound(error)) throw error
          return load(`references/${file}`).catch(second =>
            Promise.reject(isNotFound(second) ? error : second),
          )
        })
        const path = plainLine(loaded.file.path)
        if (loaded.status === 'already-loaded') return `Reference '${path}' is already loaded.`
        const heading = `"${taglessLine(loaded.skill.name)} - ${path}" under "Loaded Skill References"`
        return `Reference '${path}' loaded: ${loaded.tokens} tokens, ${heading}.${unloadedNote(loaded.unloaded)}`
      } catch (error) {
        if (isSkillshelfError(error, 'not-loaded')) {
          throw notLoaded(name, { hint: 'load it with load_skill first' })
        }
        throw error
      }
    },
    unloadSkill(name) {
      const closed = session.unload(name)
      if (!closed) throw notLoaded(name)
      return `Skill '${taglessLine(closed.skill.name)}' unloaded.`
    },
  }
}

function notLoaded(skill: string, details: { hint?: string } = {}): SkillshelfError {
  return new SkillshelfError('not-loaded', `Skill '${skill}' is not loaded`, {
    subject: skill,
    ...details,
  })
}

type SkillFiles = OpenSkill['skill']['files']

const DOCUMENT = /^[^/]+\.(?:md|markdown|mdx|txt)$/i
/** Commands that run a script, by file extension. Only printed in prompts: scripts are never run. */
const RUNNERS: Readonly<Record<string, string>> = {
  py: 'uv run',
  sh: 'bash',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'npx tsx',
  mts: 'npx tsx',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
  lua: 'lua',
  r: 'Rscript',
  jl: 'julia',
  go: 'go run',
  ps1: 'pwsh -File',
}

/** Formats an open skill: directory, scripts, available references and instructions. */
export function skillSection({ skill }: OpenSkill): string {
  const { name, description, root, files, instructions } = skill
  const scripts = files.filter(({ path }) => path.startsWith('scripts/'))
  // A source without a file system: no program can open such a path.
  const isVirtual = root.startsWith('skill://')
  const references = files.filter(
    ({ path, kind }) => DOCUMENT.test(path) || (path.startsWith('references/') && kind === 'text'),
  )
  return [
    `### Skill: ${taglessLine(name)}`,
    `# Skill: ${taglessLine(name)}`,
    '',
    markdownLine(description),
    '',
    '## Skill Context',
    `- **Skill Directory**: ${inlineCode(root)}`,
    ...(scripts.length === 0 ? [] : ['- **Available Scripts**:']),
    ...listed(scripts, ({ path }) => {
      const script = `${root}/${path}`
      const command = isVirtual ? undefined : runCommand(script)
      return `${inlineCode(script)}${command === undefined ? '' : ` (run with: ${inlineCode(command)})`}`
    }),
    ...(references.length === 0 ? [] : ['- **Available References**:']),
    ...listed(references, ({ path }) => inlineCode(path)),
    '',
    '## Instructions',
    instructions,
  ].join('\n')
}

function listed(files: SkillFiles, line: (file: SkillFiles[number]) => string): string[] {
  return listFiles(files, line, 'load_skill_reference').map(one => `  - ${one}`)
}

/** Formats the loaded references of all open skills. An empty list if there are none. */
function referencesSection(open: readonly OpenSkill[]): string[] {
  const sections = open.flatMap(({ skill, references }) =>
    references.map(
      ({ path, text }) => `### ${taglessLine(skill.name)} - ${plainLine(path)}\n${text.trim()}`,
    ),
  )
  return sections.length === 0 ? [] : ['## Loaded Skill References', ...sections]
}

/** Returns the shell command for a script, or `undefined` for an unknown file extension. */
function runCommand(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(RUNNERS, extension) ? `${RUNNERS[extension]} ${shellQuote(path)}` : undefined
}

function shellQuote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** Formats inline code. More backticks than the text contains in a row delimit it. */
function inlineCode(text: string): string {
  const line = plainLine(text)
  const longest = [...line.matchAll(/`+/g)].reduce(
    (longest, [run]) => Math.max(longest, run.length),
    0,
  )
  const delimiter = '`'.repeat(longest + 1)
  return longest === 0 ? `${delimiter}${line}${delimiter}` : `${delimiter} ${line} ${delimiter}`
}
