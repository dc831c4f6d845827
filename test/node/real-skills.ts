import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../folders.js'
import { EVERYTHING } from '../samples.js'

/** Copies of a registry of skills beside the repository. Tests that need them are skipped without them. */

const archiveOf = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/data/${name}.tar.xz`, import.meta.url))

export const hasRealSkills = ['clawhub-folders', 'clawhub-skillmd'].every(name =>
  existsSync(archiveOf(name)),
)
/** For titles of skipped tests. */
export const WITHOUT_REAL_SKILLS = hasRealSkills ? '' : ' (skipped without ../shared/data)'

/** Extracts every n-th skill, or all of them with `TEST_EVERYTHING`, to a new temporary folder. */
export function extractSkills(
  name: 'clawhub-folders' | 'clawhub-skillmd',
  nth: number,
): { root: string; files: number } {
  const root = temporaryFolder()
  const archive = archiveOf(name)
  const paths = execFileSync('tar', ['-tJf', archive], { encoding: 'utf8', maxBuffer: 1e8 })
    .split('\n')
    .filter(path => path !== '' && !path.endsWith('/'))
  const folders = [...new Set(paths.filter(path => /\/skill\.md$/i.test(path)).map(dirname))].sort()
  const chosen = folders.filter((_, at) => EVERYTHING || at % nth === 0)
  const wanted = paths.filter(path => chosen.some(folder => path.startsWith(`${folder}/`)))
  execFileSync('tar', ['-xJf', archive, '-C', root, '-T', '-'], { input: wanted.join('\n') })
  return { root, files: chosen.length }
}
