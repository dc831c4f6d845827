import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The compiler of the build: several times as fast as version 5, which TypeDoc and many users have. */
export const TSC = join(root, 'node_modules/typescript-7/bin/tsc')
/** One thread checks no type twice. */
export const ONE_THREAD = '--singleThreaded'
/** A short run needs no garbage collection. With one thread, it takes less than half the processor time. */
export const UNCOLLECTED = { GOGC: 'off', GOMEMLIMIT: '1GiB' }

/**
 * Type-checks `files` together with what `tsconfig` includes. Returns the lines of the compiler, with paths relative to `files`.
 * @param home The packages of this folder are found.
 */
export function typeErrors(
  home: string,
  tsconfig: object,
  files: Readonly<Record<string, string>> = {},
): string[] {
  const cache = join(home, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'types-'))
  for (const [name, text] of Object.entries({
    ...files,
    'tsconfig.json': JSON.stringify(tsconfig),
  }))
    writeFileSync(join(folder, name), text)
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [TSC, '-p', folder, ONE_THREAD, '--noEmit', '--pretty', 'false'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ...UNCOLLECTED },
    },
  )
  rmSync(folder, { recursive: true })
  const own = `${relative(root, folder)}/`
  return `${stdout}${stderr}`
    .trim()
    .split('\n')
    .flatMap(line => (line === '' ? [] : [line.replace(own, '')]))
}
