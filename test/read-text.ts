import type { SkillSource } from '../src/exports/index.js'

/** The text of a file, or `undefined` if there is none. */
export async function readText(source: SkillSource, path: string): Promise<string | undefined> {
  const result = await source.read(path)
  return typeof result === 'object' ? new TextDecoder().decode(result.bytes) : result
}
