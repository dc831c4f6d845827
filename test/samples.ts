import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hash32 } from '../src/core/text/hash32.js'
import { temporaryFolder } from './folders.js'

/** `TEST_EVERYTHING=1` tries corpora of inputs whole. Otherwise tests take a fixed sample of them. */
export const EVERYTHING = Boolean(process.env['TEST_EVERYTHING'])

/** Whether a case is in the share of a corpus that is tried: one in so many, chosen by a hash of its name. */
export const isInShare = (name: string, share: number): boolean =>
  EVERYTHING || hash32(name) % share === 0

/** Folder of the sample skills. */
export const samples = fileURLToPath(new URL('../demo/skills', import.meta.url))

/** Number of sample skills: folders that have a SKILL.md in either spelling. */
export const SAMPLE_COUNT = readdirSync(samples).filter(name =>
  ['SKILL.md', 'skill.md'].some(file => existsSync(join(samples, name, file))),
).length

/** A new folder with these sample skills, for tests that embed or pack them. */
export function copySamples(...names: readonly string[]): string {
  const folder = temporaryFolder()
  for (const name of names) cpSync(join(samples, name), join(folder, name), { recursive: true })
  return folder
}
