import type { LibraryOptions } from '../../library/api/options.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import { openLibrary } from '../../library/open-library.js'
import { MESSAGES_FILE } from '../../skill/messages.js'
import type { Skill, SkillId } from '../../skill/skill.js'
import { memory } from '../../source/memory.js'
import { replaceDescription } from './replace-description.js'

/** A copy of skills in memory, for trying other descriptions. It ranks as their library does. */
export interface Draft {
  /** Its skills have the ids of the originals. */
  readonly library: LocalLibrary
  /** The SKILL.md of a skill as it is now. */
  text(id: SkillId): string
  /** Changes descriptions, by the id of their skill. */
  describe(descriptions: ReadonlyMap<SkillId, string>): Promise<void>
}

interface DraftSkill {
  source: ReturnType<typeof memory>
  path: string
  text: string
}

/** Copies skills. @param options Those of the library. Without diagnostics: the library has reported them. */
export async function openDraft(
  skills: readonly Skill[],
  options: Pick<LibraryOptions, 'embedder' | 'modelTimeout' | 'signal' | 'onProgress'>,
): Promise<Draft> {
  const sources = new Map<string, ReturnType<typeof memory>>()
  const drafts = new Map<SkillId, DraftSkill>()
  for (const { id, origin, path, file, text, messages = [], notMessages = [] } of skills) {
    const source = sources.get(origin) ?? memory({}, { name: origin })
    const folder = path === '' ? '' : `${path}/`
    sources.set(origin, source)
    drafts.set(id, { source, path: `${folder}${file}`, text })
    const lines = [...messages, '# not', ...notMessages].join('\n')
    const put = { [`${folder}${file}`]: text, [folder + MESSAGES_FILE]: lines }
    await source.write({ put })
  }
  const library = await openLibrary([...sources.values()], { ...options, onDiagnostic: () => {} })
  return {
    library,
    text: id => drafts.get(id)?.text ?? '',
    async describe(descriptions) {
      for (const [id, description] of descriptions) {
        const draft = drafts.get(id)
        if (!draft) continue
        draft.text = replaceDescription(draft.text, description)
        await draft.source.write({ put: { [draft.path]: draft.text } })
      }
      await library.refresh()
    },
  }
}
