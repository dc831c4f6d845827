import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import type { ReadResult } from '../../src/source/source.js'
import type { Files } from '../packed-files.js'

export const skill = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nHow to do ${name}.\n`

/** Creates skills with a number of files each. */
export function manySkills(count: number, files = 0): Record<string, string> {
  const made: Record<string, string> = {}
  for (let number = 1; number <= count; number++) {
    const name = `skill-${String(number).padStart(4, '0')}`
    made[`${name}/SKILL.md`] = skill(name, `Handles case ${number} of the paperwork.`)
    for (let file = 1; file <= files; file++)
      made[`${name}/references/${file}.md`] = `file ${file} of ${name}`
  }
  return made
}

export async function fill(bucket: R2BucketLike, files: Files, prefix = ''): Promise<void> {
  const entries = Object.entries(files)
  for (let from = 0; from < entries.length; from += 50)
    await Promise.all(
      entries
        .slice(from, from + 50)
        .map(([path, content]) => bucket.put(prefix + path, content as string)),
    )
}

export async function keysOf(bucket: R2BucketLike): Promise<string[]> {
  const keys: string[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor })
    keys.push(...page.objects.map(({ key }) => key))
    more = page.truncated
    cursor = page.cursor
  }
  return keys
}

async function empty(bucket: R2BucketLike): Promise<void> {
  const keys = await keysOf(bucket)
  for (let from = 0; from < keys.length; from += 1_000)
    await bucket.delete(keys.slice(from, from + 1_000))
}

/** A bucket that counts calls, and fails or pauses on request. */
export function watched(inner: R2BucketLike) {
  const state = {
    /** Each call, such as `get a/SKILL.md`. */
    asked: [] as string[],
    options: [] as unknown[],
    /** Maximum number of concurrent calls. A read ends with its body. */
    most: 0,
    before: undefined as ((call: string) => Promise<void> | void) | undefined,
  }
  let under = 0
  const watch = async <T>(call: string, options: unknown, run: () => Promise<T>): Promise<T> => {
    state.asked.push(call)
    state.options.push(options)
    state.most = Math.max(state.most, ++under)
    try {
      await state.before?.(call)
      return await run()
    } finally {
      under--
    }
  }
  const bucket: R2BucketLike = {
    head: key => watch(`head ${key}`, undefined, () => inner.head(key)),
    get: (key, options) =>
      watch(`get ${key}`, options, async () => {
        const object = await inner.get(key, options)
        if (!object || !('arrayBuffer' in object)) return object
        const bytes = await object.arrayBuffer()
        const { size, etag, checksums } = object
        return {
          key,
          size,
          etag,
          ...(checksums ? { checksums } : {}),
          arrayBuffer: async () => bytes,
        }
      }),
    list: options => watch(`list ${options?.prefix ?? ''}`, options, () => inner.list(options)),
    put: (key, value, options) =>
      watch(`put ${key}`, options, () => inner.put(key, value, options)),
    delete: keys => watch(`delete ${keys.length}`, keys, () => inner.delete(keys)),
  }
  return Object.assign(state, {
    /** The same bucket, not watched. */
    inner,
    bucket,
    /** Returns the calls since the last time. */
    since(): string[] {
      state.most = 0
      state.options = []
      return state.asked.splice(0)
    },
  })
}

/** A bucket with exactly these files, plain and counted. */
export function filling(open: () => Promise<R2BucketLike>) {
  const fresh = async (files: Files = {}, prefix = '') => {
    const bucket = await open()
    await empty(bucket)
    await fill(bucket, files, prefix)
    return bucket
  }
  return {
    fresh,
    counted: async (files: Files = {}, prefix = '') => watched(await fresh(files, prefix)),
  }
}

export const textOf = (result: unknown): string =>
  new TextDecoder().decode((result as ReadResult).bytes)

/** Files named by digest that the library in a bucket does not need. Reads every file of it. */
export async function unreadFiles(bucket: R2BucketLike): Promise<string[]> {
  const needed = await r2(bucket).read('skillshelf.json')
  const { skills, segments } = JSON.parse(textOf(needed)) as {
    skills: { digest: string; details: string }[]
    segments: { file: string }[]
  }
  const used = new Set(segments.map(({ file }) => file))
  for (const { digest, details } of skills) {
    const json = `files/${details.slice(7, 23)}.json`
    used.add(`files/${digest.slice(7, 23)}.md`).add(json)
    const { files } = JSON.parse(textOf(await r2(bucket).read(json))) as {
      files: { digest: string }[]
    }
    for (const file of files) used.add(file.digest.slice(7, 23))
  }
  const keys = await keysOf(bucket)
  return keys.filter(
    key => key !== 'skillshelf.json' && !used.has(key) && !used.has(key.slice(6, 22)),
  )
}
