import * as z from 'zod/mini'
import { isSkillshelfError, SkillshelfError } from '../core/errors.js'
import { plainLine } from '../core/sanitize.js'
import type { AbortOptions } from '../library/types.js'
import { defineTool } from '../session/tools/tool.js'
import type { SkillTool } from '../session/tools/types.js'
import type { Dialect, Requester, Session } from '../session/types.js'
import type { SkillId } from '../skill/types.js'
import { boundedListing } from './listing.js'
import { inspectOffered, withNotFoundMessage } from './lookup.js'
import { openedSection, referencesSection } from './omni-employee-prompt.js'

/** What OmniEmployee's agent does with skills. Its prompt is the session's: `session.prepare`. */
export interface OmniEmployeeSkills {
  /** `agent.discover_skills`. */
  discoverSkills(options?: AbortOptions): Promise<OmniEmployeeMetadata[]>
  /** `load_skill`: says what became of it. @throws `skill-not-found`, `too-large` with all figures, `not-allowed` */
  loadSkill(skill: string, options?: AbortOptions): Promise<string>
  /** `load_skill_reference`. @throws `not-loaded`, `resource-not-found`, `too-large`, `not-allowed` */
  loadSkillReference(skill: string, file: string, options?: AbortOptions): Promise<string>
  /** `agent.unload_skill`: instructions, references, figures and mark follow. @throws `not-loaded` */
  unloadSkill(skill: string): string
}

export interface OmniEmployeeMetadata {
  name: string
  description: string
  when_to_use?: string
  tags: readonly string[]
}

/** OmniEmployee: marked lines in the prompt, and below them what is loaded, as long as it is. */
export const omniEmployee: Dialect = {
  name: 'OmniEmployee',
  placement: 'section',
  catalog(session) {
    const open = new Set(session.open.map(({ skill }) => skill.id))
    return boundedListing(session, {
      head: '## Available Skills (use when needed)',
      line: ({ id, name, description }) => `- [${open.has(id) ? '✓' : '○'}] **${name}**: ${description}`,
    })
  },
  skillText: (_, open) => openedSection(open),
  // Instructions stand in the head of the prompt: they cannot fall out.
  reminder: () => '',
  sections: ({ open }) =>
    [
      ...(open.length === 0 ? [] : ['## Loaded Skill Instructions']),
      ...open.map(openedSection),
      ...referencesSection(open),
    ].join('\n\n'),
  toolNames: ['load_skill', 'load_skill_reference', 'unload_skill'],
  tools: toolsOf,
}

export function omniEmployeeOf(session: Session): OmniEmployeeSkills {
  return {
    async discoverSkills(at = {}) {
      const skills = await inspectOffered(session, at)
      return skills.map(({ name, description, tags, metadata: { whenToUse } }) => ({
        name,
        description,
        ...(whenToUse === undefined ? {} : { when_to_use: whenToUse }),
        tags,
      }))
    },
    ...actionsOf(session, 'host'),
  }
}

function actionsOf(session: Session, by: Requester): Omit<OmniEmployeeSkills, 'discoverSkills'> {
  const namesOf = (ids: readonly SkillId[]): string => {
    const { skills } = session.library.snapshot
    return ids.map(id => plainLine(skills.find(skill => skill.id === id)?.name ?? id)).join(', ')
  }
  const freed = (ids: readonly SkillId[]): string =>
    ids.length === 0 ? '' : ` Unloaded to make room: ${namesOf(ids)}.`
  return {
    async loadSkill(name, at = {}) {
      const { skill, status, tokens, unloaded } = await withNotFoundMessage(session.load(name, { ...at, by }), {
        'skill-not-found': `Skill '${name}' not found`,
      })
      const shown = plainLine(skill.name)
      if (status === 'again') return `Skill '${shown}' is already loaded.`
      return `Skill '${shown}' loaded successfully: ${tokens} tokens under "Loaded Skill Instructions".${freed(unloaded)}`
    },
    async loadSkillReference(name, file, at = {}) {
      const load = (path: string) => session.loadReference(name, path, { ...at, by })
      const absent = (error: unknown): boolean => isSkillshelfError(error, 'resource-not-found')
      try {
        // A bare name may be that of a file in references/.
        const loaded = await load(file).catch(error => {
          if (!absent(error)) throw error
          return load(`references/${file}`).catch(second => Promise.reject(absent(second) ? error : second))
        })
        const shown = plainLine(loaded.file.path)
        if (loaded.status === 'again') return `Reference '${shown}' is already loaded.`
        const where = `"${plainLine(loaded.skill.name)} - ${shown}" under "Loaded Skill References"`
        return `Reference '${shown}' loaded: ${loaded.tokens} tokens, ${where}.${freed(loaded.unloaded)}`
      } catch (error) {
        if (isSkillshelfError(error, 'not-loaded')) throw notLoaded(name, 'load it with load_skill first')
        throw error
      }
    },
    unloadSkill(name) {
      const closed = session.unload(name)
      if (!closed) throw notLoaded(name)
      return `Skill '${plainLine(closed.skill.name)}' unloaded.`
    },
  }
}

function notLoaded(skill: string, hint?: string): SkillshelfError {
  return new SkillshelfError('not-loaded', `Skill '${skill}' is not loaded`, {
    subject: skill,
    ...(hint ? { hint } : {}),
  })
}

const skill = z.string().check(z.minLength(1), z.describe('Name of the skill'))
const skillInput = z.object({ skill })
const referenceInput = z.object({
  skill,
  file: z.string().check(z.minLength(1), z.describe('A reference of the skill, such as reference.md')),
})

function toolsOf(session: Session): SkillTool[] {
  const { loadSkill, loadSkillReference, unloadSkill } = actionsOf(session, 'model')
  return [
    defineTool({
      name: 'load_skill',
      description: 'Loads the full instructions of a skill into the context.',
      input: skillInput,
      run: (input, at) => loadSkill(input.skill, at),
    }),
    defineTool({
      name: 'load_skill_reference',
      description: 'Loads a reference of a loaded skill into the context: after an error, or for details.',
      input: referenceInput,
      run: (input, at) => loadSkillReference(input.skill, input.file, at),
    }),
    defineTool({
      name: 'unload_skill',
      description: 'Takes a skill that is needed no more out of the context, with its references.',
      input: skillInput,
      run: async input => unloadSkill(input.skill),
    }),
  ]
}
