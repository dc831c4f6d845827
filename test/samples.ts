import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the sample skills. */
export const samples = fileURLToPath(new URL('../demo/skills', import.meta.url))

/** Number of sample skills: folders that have a SKILL.md in either spelling. */
export const SAMPLE_COUNT = readdirSync(samples).filter(name =>
  ['SKILL.md', 'skill.md'].some(file => existsSync(join(samples, name, file))),
).length
