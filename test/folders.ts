import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Files } from './packed-files.js'

const made: string[] = []
// A process that just ended may still write.
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
})

/** Creates a temporary folder with these files. It is removed when the process of the tests ends. */
export function temporaryFolder(files: Files = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillshelf-')))
  made.push(folder)
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
