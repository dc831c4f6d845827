import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hash32 } from '../../src/core/text/hash32.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** An engine runs one in so many files. */
const SHARE = 3
/** What does not depend on the engine. */
const ALIKE = 'test/unit/'

/**
 * The test files of folders that an engine runs: those that prove BY-40, and of others that depend on it a share, by a hash of their names.
 * With `TEST_EVERYTHING=1` it runs all.
 */
export function shareOf(engine: string, folders: readonly string[]): string[] {
  const files = folders.flatMap(folder =>
    readdirSync(join(root, folder))
      .filter(name => name.endsWith('.test.ts'))
      .map(name => `${folder}/${name}`),
  )
  if (process.env['TEST_EVERYTHING']) return files
  return files.filter(
    file =>
      readFileSync(join(root, file), 'utf8').includes('[BY-40]') ||
      (!file.startsWith(ALIKE) && hash32(`${engine} ${file}`) % SHARE === 0),
  )
}
