import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the temporary files of all tests one folder, which is removed at the end: a worker that is stopped does not remove its own. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'skillshelf-tests-'))
  // Some tests run programs as another user.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  // A process that just ended may still write.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}
