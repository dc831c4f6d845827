import * as z from 'zod/mini'
import { SkillshelfError } from '../core/errors.js'
import { basename, joinPath, safePath } from '../core/paths.js'
import { plainLine, visibleJson } from '../core/sanitize.js'
import type { AbortOptions } from '../library/types.js'
import { offeredMatches } from '../session/offered-matches.js'
import { defineTool } from '../session/tools/tool.js'
import type { SkillTool } from '../session/tools/types.js'
import type { Dialect, Requester, Session } from '../session/types.js'
import type { SkillSummary } from '../skill/types.js'
import { nameOf } from './listing.js'
import { findSkill, inspectSkill } from './lookup.js'
import { fileText } from './text-of-file.js'

/** The functions of openseed's SkillsManager. Where it gives the text of an error, these throw one with that text. */
export interface OpenseedSkills {
  /** `list_skills`. */
  listSkills(): string[]
  /** `get_skill_content`: the whole SKILL.md; the skill is open in the session from then on. @throws `skill-not-found`: `未找到技能: x` */
  getSkillContent(name: string, options?: AbortOptions): Promise<string>
  /** `search_skills`: best first. */
  searchSkills(query: string, n?: number, options?: AbortOptions): Promise<{ name: string; description: string }[]>
  /** `get_skill_asset`: the text of a file in references/, assets/ or scripts/. @throws `invalid-path`, `resource-not-found` */
  getSkillAsset(skillName: string, relativePath: string, options?: AbortOptions): Promise<string>
  /** `get_skill_script_path`: absolute where the source has such paths. @throws `invalid-path`, `resource-not-found` */
  getSkillScriptPath(skillName: string, scriptName: string, options?: AbortOptions): Promise<string>
  /** `list_skill_assets`: paths in those three folders, sorted. */
  listSkillAssets(skillName: string, options?: AbortOptions): Promise<string[]>
}

const ASSETS = /^(?:references|assets|scripts)\/./
const N = 5

/** openseed: the model searches, loads whole SKILL.md files, and asks for paths of scripts. It is told nothing beforehand. */
export const openseed: Dialect = {
  name: 'openseed',
  placement: 'result',
  catalog: () => '',
  skillText: (_, { skill }) => skill.text,
  reminder: skill => `The skill ${plainLine(skill.name)} was left out of this conversation: load_skill brings it back.`,
  toolNames: ['load_skill', 'search_skills', 'load_skill_asset', 'get_skill_script_path', 'list_skill_assets'],
  tools: toolsOf,
  excludes: ({ inferred }) => inferred !== undefined,
}

export function openseedOf(session: Session): OpenseedSkills {
  return skillsOf(session, 'host')
}

function skillsOf(session: Session, by: Requester): OpenseedSkills {
  return {
    listSkills: () => session.offered.map(nameOf(session)),
    async getSkillContent(name, at = {}) {
      const { skill } = await session.load(find(session, name).id, { ...at, by })
      return skill.text
    },
    async searchSkills(query, n = N, at = {}) {
      const { library, offered } = session
      const name = nameOf(session)
      const byId = new Map(offered.map(skill => [skill.id, skill]))
      const matches = await offeredMatches(session, n, limit => library.search(query, { ...at, limit }))
      return matches
        .flatMap(({ id }) => byId.get(id) ?? [])
        .map(skill => ({ name: name(skill), description: skill.description }))
    },
    async getSkillAsset(skillName, relativePath, at = {}) {
      const path = safePath(relativePath)
      if (!ASSETS.test(path))
        throw new SkillshelfError('invalid-path', `Invalid path ${JSON.stringify(path)}: it is not an asset`, {
          subject: relativePath,
          hint: 'give a path in references/, assets/ or scripts/',
        })
      return fileText(await session.read(find(session, skillName).id, path, { ...at, by }))
    },
    async getSkillScriptPath(skillName, scriptName, at = {}) {
      const path = joinPath('scripts', safePath(scriptName))
      const { name, root, files } = await inspectSkill(session, find(session, skillName).id, { ...at, by })
      if (files.some(file => file.path === path)) return `${root}/${path}`
      const candidates = files.map(file => file.path).filter(one => one.startsWith('scripts/'))
      throw new SkillshelfError('resource-not-found', `Resource not found: ${name} has no ${path}`, {
        subject: scriptName,
        candidates,
        hint: candidates.length > 0 ? `it has ${candidates.slice(0, 5).join(', ')}` : 'it has no scripts',
      })
    },
    async listSkillAssets(skillName, at = {}) {
      const { files } = await inspectSkill(session, find(session, skillName).id, { ...at, by })
      return files.map(({ path }) => path).filter(path => ASSETS.test(path))
    },
  }
}

/** By name, whole and in any case; else by folder, which is how what is not listed can be loaded. */
function find(session: Session, name: string): SkillSummary {
  const skill = findSkill(session, name, [one => one.name, ({ path, origin }) => basename(path) || origin])
  if (skill) return skill
  throw new SkillshelfError('skill-not-found', `未找到技能: ${name}`, { subject: name })
}

const skillName = z.string().check(z.minLength(1), z.describe('Name of the skill'))
const loadInput = z.object({ skill_name: skillName })
const searchInput = z.object({
  query: z.string().check(z.minLength(1), z.describe('What is needed')),
  n: z.optional(z.int().check(z.gte(1), z.lte(50), z.describe(`Skills at most. Default ${N}`))),
})
const assetInput = z.object({
  skill_name: skillName,
  relative_path: z.string().check(z.minLength(1), z.describe('A path in references/, assets/ or scripts/')),
})
const scriptInput = z.object({
  skill_name: skillName,
  script_name: z.string().check(z.minLength(1), z.describe('Name of a file in scripts/')),
})

function toolsOf(session: Session): SkillTool[] {
  const skills = skillsOf(session, 'model')
  return [
    defineTool({
      name: 'load_skill',
      description: 'Gives the whole SKILL.md of a skill, to be followed.',
      input: loadInput,
      run: ({ skill_name }, at) => skills.getSkillContent(skill_name, at),
    }),
    defineTool({
      name: 'search_skills',
      description: 'Finds skills for a need, best first: a list of name and description.',
      input: searchInput,
      run: async ({ query, n }, at) => visibleJson(await skills.searchSkills(query, n, at)),
    }),
    defineTool({
      name: 'load_skill_asset',
      description: 'Gives the text of a file of a skill: a reference, a template, a script.',
      input: assetInput,
      run: ({ skill_name, relative_path }, at) => skills.getSkillAsset(skill_name, relative_path, at),
    }),
    defineTool({
      name: 'get_skill_script_path',
      description: 'Gives the path of a script of a skill, for a tool that can run it.',
      input: scriptInput,
      run: ({ skill_name, script_name }, at) => skills.getSkillScriptPath(skill_name, script_name, at),
    }),
    defineTool({
      name: 'list_skill_assets',
      description: 'Lists the references, assets and scripts of a skill.',
      input: loadInput,
      run: async ({ skill_name }, at) => visibleJson(await skills.listSkillAssets(skill_name, at)),
    }),
  ]
}
