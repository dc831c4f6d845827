import { mapParallel } from '../../core/concurrency.js'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'
import { SCHEMA } from '../../store/publish/well-known.js'
import { type PublishedSkill, planWellKnown } from '../../store/publish/well-known-plan.js'
import { bytesAnswer } from './answer.js'
import { archiveFrom, readAs } from './archive.js'
import { hostedHeaders } from './packed-files.js'

const PARALLEL = 6
const SITE = '.well-known/agent-skills/'
const LEGACY = '.well-known/skills/'
const ARCHIVE = '.tgz'

interface Plan {
  revision: string
  skills: ReadonlyMap<string, PublishedSkill>
}

/** A library as clients of well-known v0.2 and v0.1 read it. Archives are made when asked for: the same skill gives the same bytes. */
export function publishedOf(library: SkillLibrary): {
  /** `undefined`: nothing of that is published. */
  answer(request: Request, path: string, signal: AbortSignal): Promise<Response | undefined>
} {
  let planned: Plan | undefined
  /** Of what a skill's archive is, by what it is made of; `''` where that is too much for one. */
  const digests = new Map<string, string>()

  const plan = async (signal: AbortSignal): Promise<Plan> => {
    const { revision, skills } = library.snapshot
    if (planned?.revision === revision) return planned
    // Loaded with the first request for the site: it reads YAML.
    const { unreadableFor } = await import('../../store/publish/plain-frontmatter.js')
    const packed = await ofEach(skills, PARALLEL, async ({ id }) => {
      const skill = await library.get(id, { signal })
      const { metadata, frontmatter, file, diagnostics, digest, name, description, tags, tokens } = skill
      const files = skill.files.map(one => ({ ...one, digest: one.digest ?? '' }))
      return {
        entry: { path: id, name, description, tags, tokens, digest, details: '' },
        details: { metadata, frontmatter, file, files, diagnostics },
        unreadable: await unreadableFor(new TextEncoder().encode(skill.text)),
      }
    })
    const { skills: published } = planWellKnown(packed)
    const made = { revision, skills: new Map(published.map(skill => [skill.name, skill])) }
    // One that is left out may be read the next time.
    if (packed.length === skills.length) planned = made
    return made
  }

  const archive = ({ files, ...skill }: PublishedSkill, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> =>
    archiveFrom(
      library,
      skill,
      files.map(({ path }) => path),
      'tar.gz',
      signal,
    )

  const digestOf = async (skill: PublishedSkill, signal: AbortSignal): Promise<string> => {
    const { folder, files, digest } = skill
    const known = files.every(one => one.digest !== '')
    const key = JSON.stringify([folder, digest, files.map(one => [one.path, one.digest])])
    const held = known ? digests.get(key) : undefined
    if (held !== undefined) return held
    const made = await archive(skill, signal).then(digestOfLarge, error => {
      if (isSkillshelfError(error, 'too-large')) return ''
      throw error
    })
    digests.set(key, made)
    return made
  }

  const site = async (signal: AbortSignal) => {
    const { skills } = await plan(signal)
    const entries = await ofEach([...skills.values()], 1, async skill => {
      const { name, description, files, digest } = skill
      return files.length === 1
        ? { name, type: 'skill-md', description, url: `${name}/SKILL.md`, digest }
        : { name, type: 'archive', description, url: name + ARCHIVE, digest: await digestOf(skill, signal) }
    })
    return { $schema: SCHEMA, skills: entries.filter(({ digest }) => digest !== '') }
  }

  const legacy = async (signal: AbortSignal) => {
    const skills = [...(await plan(signal)).skills.values()].filter(skill => skill.legacy)
    return {
      skills: skills.map(({ name, description, files }) => ({
        name,
        description,
        files: files.map(({ path }) => path),
      })),
    }
  }

  const send = async (request: Request, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Response> =>
    bytesAnswer(request, bytes, `"${shortDigest(await digestOfLarge(bytes))}"`, hostedHeaders(path))

  return {
    async answer(request, path, signal) {
      const folder = [SITE, LEGACY].find(one => path.startsWith(one))
      if (folder === undefined) return undefined
      const rest = path.slice(folder.length)
      if (rest === 'index.json') {
        const index = await (folder === SITE ? site(signal) : legacy(signal))
        return send(request, path, new TextEncoder().encode(JSON.stringify(index)))
      }
      const { skills } = await plan(signal)
      const whole = folder === SITE && rest.endsWith(ARCHIVE) ? skills.get(rest.slice(0, -ARCHIVE.length)) : undefined
      if (whole) return send(request, path, await archive(whole, signal))
      const [name = '', ...parts] = rest.split('/')
      const skill = skills.get(name)
      const file = skill?.files.find(one => one.path === parts.join('/'))
      if (!skill || !file) return undefined
      return send(request, path, await readAs(library, skill, file.path, signal))
    },
  }
}

/**
 * What is made of each skill. One that cannot be read hides no other.
 * @throws where none can be read: then it is the place that fails
 */
async function ofEach<T, R>(skills: readonly T[], limit: number, make: (skill: T) => Promise<R>): Promise<R[]> {
  const failures: unknown[] = []
  const made = await mapParallel(skills, limit, async skill => {
    try {
      return { of: await make(skill) }
    } catch (error) {
      if (!isSkillshelfError(error) || error.code === 'aborted' || error.code === 'closed') throw error
      failures.push(error)
      return undefined
    }
  })
  if (failures.length > 0 && failures.length === skills.length) throw failures[0]
  return made.flatMap(one => (one ? [one.of] : []))
}
