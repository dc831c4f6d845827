import type { AbortOptions } from '../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../core/concurrency.js'
import { onDemand } from '../core/load-module.js'
import { checkOptionNames } from '../core/text/option-names.js'
import type { SkillLibrary } from './api/skill-library.js'
import { publishedNames } from './store/publish/published-names.js'

const OPTIONS = { signal: 1, allow: 1 }

const loadSecretGuard = onDemand(() => import('./store/pack/secret-guard.js'))

/** A skill with the content of all its files, for systems that take whole skills. */
export interface ExportedSkill {
  /** A name that the Agent Skills specification allows: that of the skill, or one made from it or its folder. */
  name: string
  description: string
  /** The body of the SKILL.md. */
  content: string
  /** All files. The first is the SKILL.md. */
  files: ExportedFile[]
}

/** A file of an exported skill. */
export interface ExportedFile {
  /** Path below a folder with the name of the skill, such as `pdf/SKILL.md`. */
  path: string
  data: Uint8Array<ArrayBuffer>
}

/**
 * Reads a skill with all its files, to upload it to a provider: `uploadSkill` of the AI SDK 7, the Skills API of Anthropic or of OpenAI.
 * @param skill Name or id of the skill.
 * @returns The files in one folder, as these APIs require. A `SKILL.md` in lower case gets its proper name.
 * @param options `signal` aborts. `allow`: paths in the folder of the skill of files that look like secrets and are meant.
 * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `invalid-input` for a private key, a token or a file of passwords that
 * `allow` does not name, `source-failed`, `aborted`, `closed`
 * @example
 * ```ts
 * import { anthropic } from '@ai-sdk/anthropic'
 * import { uploadSkill } from 'ai'
 * import { exportSkill } from 'skillshelf/store'
 *
 * const { name, files } = await exportSkill(library, 'pdf')
 * const { providerReference } = await uploadSkill({ api: anthropic, files, displayTitle: name })
 * ```
 */
export async function exportSkill(
  library: Pick<SkillLibrary, 'get' | 'read'>,
  skill: string,
  options: AbortOptions & { allow?: readonly string[] | undefined } = {},
): Promise<ExportedSkill> {
  checkOptionNames(options, OPTIONS)
  const { signal, allow } = options
  const found = await library.get(skill, { signal })
  const name = publishedNames([found]).get(found.path) ?? found.name
  const others = await mapParallel(found.files, PARALLEL_READS, async ({ path }) => {
    const { bytes } = await library.read(found.id, path, { signal })
    return { path, bytes }
  })
  const own = { path: found.file, bytes: new TextEncoder().encode(found.text) }
  const { createSecretGuard } = await loadSecretGuard()
  const guard = await createSecretGuard({ allow })
  guard.check('', [own, ...others])
  guard.throwIfRefused()
  return {
    name,
    description: found.description,
    content: found.instructions,
    files: [{ ...own, path: 'SKILL.md' }, ...others].map(({ path, bytes }) => ({
      path: `${name}/${path}`,
      data: bytes,
    })),
  }
}
