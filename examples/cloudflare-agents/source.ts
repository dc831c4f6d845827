import {
  type InvalidSkill,
  type ListedSkill,
  parseSkill,
  parseSkillResourcePath,
  SkillParseError,
  type SkillResourceInfo,
  SkillResourceNotFoundError,
  type SkillSource,
  SkillSourceError,
} from 'agents/skills'
import type { SkillFileInfo, SkillLibrary } from 'skillshelf'

/**
 * A library as a source of cloudflare/agents. Each listing refreshes the library and opens every skill, because their catalog holds all
 * instructions. Skills are listed by name, so names must differ.
 */
export function toAgentsSource(library: SkillLibrary, id = 'skillshelf'): SkillSource {
  return {
    id,
    async list() {
      try {
        await library.refresh()
        const skills: ListedSkill[] = []
        const invalid: InvalidSkill[] = []
        for (const { id: location, name } of library.snapshot.skills) {
          const { text, files } = await library.get(location)
          const parsed = parseSkill(text, { directory: name })
          if (!parsed.ok) invalid.push({ location, error: parsed.error })
          else if (parsed.value.name !== name)
            invalid.push({ location, error: otherName(parsed.value.name, name) })
          else
            skills.push({
              skill: parsed.value,
              resources: files.flatMap(toResource),
              warnings: parsed.warnings,
            })
        }
        return { ok: true, value: { skills, invalid } }
      } catch (error) {
        return { ok: false, error: new SkillSourceError(id, 'list', error) }
      }
    },
    async readResource(skill, path) {
      try {
        const file = await library.read(skill, path)
        const [info] = toResource({ ...file, path })
        if (!info) return { ok: false, error: new SkillResourceNotFoundError(skill, path) }
        const encoding = file.text === undefined ? 'base64' : 'text'
        return {
          ok: true,
          value: { ...info, encoding, content: file.text ?? toBase64(file.bytes) },
        }
      } catch (error) {
        if (
          ['resource-not-found', 'skill-not-found'].includes(
            (error as { code?: string }).code ?? '',
          )
        )
          return { ok: false, error: new SkillResourceNotFoundError(skill, path) }
        return { ok: false, error: new SkillSourceError(id, 'read-resource', error) }
      }
    },
  }
}

/** Their catalog asks for files by the name that it read, so a library must know the skill by that name. */
function otherName(theirs: string, ours: string): SkillParseError {
  return new SkillParseError(
    'invalid-name',
    `agents/skills reads the name "${theirs}", skillshelf reads "${ours}"`,
  )
}

/** None for a path that agents/skills does not accept. */
function toResource({ path, kind, mediaType, size }: SkillFileInfo): SkillResourceInfo[] {
  const parsed = parseSkillResourcePath(path)
  if (!parsed.ok) return []
  const kinds = { scripts: 'script', references: 'reference', assets: 'asset' } as const
  return [
    {
      path: parsed.value,
      kind: kinds[path.split('/', 1)[0] as keyof typeof kinds] ?? 'file',
      encoding: kind === 'script' || kind === 'text' ? 'text' : 'base64',
      mimeType: mediaType,
      ...(size === undefined ? {} : { size }),
    },
  ]
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
}
