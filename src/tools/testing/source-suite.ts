import { parseUrl } from '../../core/parse-url.js'
import { trySafePath } from '../../core/paths.js'
import type { ReadOptions, ReadResult, SkillSource } from '../../source/source.js'
import { check, equal, rejects, type SuiteCase, toBytes } from './assertions.js'

/** Options of `sourceSuite`. */
export interface SourceSuiteOptions {
  /** Names of cases to leave out. @default [] */
  skip?: readonly string[] | undefined
  /** Returns `true` for paths that the storage cannot hold, such as `a?b.txt` on Windows. @default () => false */
  cannotHold?: ((path: string) => boolean) | undefined
}

/** Files that the suite stores and reads back. */
const FILES: Readonly<Record<string, Uint8Array | string>> = {
  'at-the-root.txt': 'a file at the root',
  'slides/SKILL.md':
    '---\nname: slides\ndescription: Makes slides.\n---\nText in UTF-8: é 调研 🛫\r\nCRLF stays.\n',
  'slides/empty.txt': '',
  'slides/bom.txt': '\uFEFFa byte order mark stays',
  'slides/assets/every-byte.bin': Uint8Array.from({ length: 1_024 }, (_, index) => index % 256),
  'slides/assets/large.bin': Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251),
  'slides/page.html': '<!doctype html><p>a page that exists',
  'odd names/with space.txt': 'space',
  'odd names/a#b.txt': 'hash',
  'odd names/a?b=c&d.txt': 'question mark',
  'odd names/100%.txt': 'percent',
  'odd names/+,;=@!$()[]{}~\'".txt': 'signs',
  'odd names/调研报告.md': '汉字',
  'odd names/🛫.md': 'emoji',
  'odd names/noextension': 'no extension',
  'odd names/.hidden': 'hidden',
  'a/b/c/d/e/f/deep.txt': 'deep',
}

const ESCAPES = [
  '../secret.txt',
  'slides/../../secret.txt',
  '/etc/passwd',
  '..\\secret.txt',
  'C:/secret.txt',
  '%2e%2e/secret.txt',
  '%252e%252e%252fsecret.txt',
  'slides/\0.txt',
  '',
]

/**
 * Conformance tests for an implementation of `SkillSource`.
 *
 * The cases cover reading, path safety and aborting. The optional features `list`, `fetch`, `root`, versions and ranges are tested if
 * the source has them. The cases are plain data and work with any test runner.
 * @param make Stores the given files and returns a source that reads them. Called once per case; the case closes the source and then
 * calls `cleanup`.
 * @example
 * ```ts
 * import { sourceSuite } from 'skillshelf/testing'
 * import { it } from 'vitest' // or from 'node:test'
 * import { mySource } from './my-source.js'
 *
 * for (const { name, run } of sourceSuite(async files => ({ source: await mySource(files) }))) {
 *   it(name, run)
 * }
 * ```
 */
export function sourceSuite(
  make: (
    files: Readonly<Record<string, Uint8Array | string>>,
  ) => Promise<{ source: SkillSource; cleanup?(): Promise<void> }>,
  { skip = [], cannotHold = () => false }: SourceSuiteOptions = {},
): readonly SuiteCase[] {
  const files = Object.fromEntries(Object.entries(FILES).filter(([path]) => !cannotHold(path)))
  const stored = (path: string): Uint8Array => toBytes(files[path] ?? '')
  const test = (name: string, body: (source: SkillSource) => Promise<void>): SuiteCase => ({
    name,
    async run() {
      const { source, cleanup } = await make(files)
      try {
        await body(source)
      } finally {
        await source.close?.()
        await cleanup?.()
      }
    },
  })

  return [
    test('has a name', async ({ name }) => {
      check(
        typeof name === 'string' && name.trim() !== '',
        `name is ${JSON.stringify(name)}; it must not be empty`,
      )
    }),
    ...Object.entries(files).map(([path, content]) =>
      test(`reads ${path} byte for byte`, async source => {
        equal((await readFile(source, path)).bytes, toBytes(content), path)
      }),
    ),
    test('returns undefined for missing paths', async source => {
      const missing = [
        'nothing.txt',
        'slides/nothing.md',
        'nowhere/SKILL.md',
        'slides/SKILL.md/below.txt',
        'slides',
      ]
      for (const path of missing) equal(await source.read(path), undefined, path)
    }),
    test('refuses paths that leave the source', async source => {
      for (const path of ESCAPES) {
        await rejects(() => source.read(path), 'invalid-path', JSON.stringify(path))
      }
    }),
    test('normalizes paths', async source => {
      const { bytes } = await readFile(source, './slides//SKILL.md')
      equal(bytes, stored('slides/SKILL.md'), 'the bytes')
    }),
    test('returns "unchanged" for the current version only', async source => {
      const { version } = await readFile(source, 'slides/SKILL.md')
      if (version === undefined) return
      check(version !== '', 'version is empty')
      equal(
        await source.read('slides/SKILL.md', { ifVersion: version }),
        'unchanged',
        'the same version',
      )
      const other = version.startsWith('"')
        ? '"another"'
        : version.includes(',')
          ? new Date(0).toUTCString()
          : 'another'
      const { bytes } = await readFile(source, 'slides/SKILL.md', { ifVersion: other })
      equal(bytes, stored('slides/SKILL.md'), 'the bytes with another version')
    }),
    test('returns the requested range or the whole file', async source => {
      const whole = stored('slides/assets/every-byte.bin')
      const cases: [number, number?][] = [
        [0, 10],
        [100, 156],
        [1_000],
        [1_000, 999],
        [0, 0],
        [5_000, 1],
      ]
      for (const [offset, length] of cases) {
        const range = length === undefined ? { offset } : { offset, length }
        const { bytes, partial } = await readFile(source, 'slides/assets/every-byte.bin', { range })
        if (!partial) {
          equal(bytes, whole, `the whole file for ${JSON.stringify(range)}`)
          continue
        }
        equal(partial.total, whole.length, `partial.total for ${JSON.stringify(range)}`)
        equal(
          bytes,
          whole.slice(partial.offset, partial.offset + bytes.length),
          `the range from ${partial.offset}`,
        )
        const start = Math.min(offset, whole.length)
        const end = length === undefined ? whole.length : Math.min(whole.length, start + length)
        check(
          partial.offset <= start && partial.offset + bytes.length >= end,
          `the range from ${partial.offset} with ${bytes.length} bytes does not cover ${JSON.stringify(range)}`,
        )
      }
    }),
    test('returns bytes that callers may change', async source => {
      const first = await readFile(source, 'slides/assets/every-byte.bin')
      first.bytes.fill(7)
      const again = await readFile(source, 'slides/assets/every-byte.bin')
      equal(again.bytes, stored('slides/assets/every-byte.bin'), 'the bytes read again')
    }),
    test('reads many files in parallel', async source => {
      const all = Object.entries(files).flatMap(entry => [entry, entry])
      const read = await Promise.all(
        all.map(async ([path]) => (await readFile(source, path)).bytes),
      )
      for (const [index, [path, content]] of all.entries()) {
        equal(read[index], toBytes(content), path)
      }
    }),
    test('lists every file once, with a safe path and its size', async source => {
      if (!source.list) return
      const listing = await source.list()
      equal(listing.map(({ path }) => path).sort(), Object.keys(files).sort(), 'the paths')
      for (const { path, size, version, unreadable } of listing) {
        equal(trySafePath(path), path, 'a listed path')
        check(unreadable === undefined, `${path} is unreadable: ${unreadable}`)
        if (size !== undefined) equal(size, stored(path).length, `the size of ${path}`)
        if (version === undefined) continue
        const read = (await readFile(source, path)).version
        if (read !== undefined) equal(read, version, `the version of ${path}, listed and read`)
      }
    }),
    test('lists every file of a folder', async source => {
      if (!source.list) return
      const listed = new Set((await source.list({ folder: 'slides' })).map(({ path }) => path))
      for (const path of Object.keys(files)) {
        check(
          listed.has(path) || !path.startsWith('slides/'),
          `${path} is not in the listing of slides`,
        )
      }
      for (const path of listed) check(path in files, `${path} is listed but was not stored`)
    }),
    test('summarizes skills only', async source => {
      if (!source.list) return
      const listing = await source.list({ summaries: true })
      const listed = new Set(listing.map(({ path }) => path))
      const folders = listing.flatMap(({ path, summary }) =>
        summary ? [path.replace(/[^/]*$/, '')] : [],
      )
      for (const { path, summary } of listing) {
        if (!summary) continue
        check(/(?:^|\/)skill\.md$/i.test(path), `${path} has a summary`)
        check(
          typeof summary.name === 'string' && typeof summary.description === 'string',
          `the summary of ${path}`,
        )
      }
      for (const path of Object.keys(files)) {
        check(
          listed.has(path) || folders.some(folder => path.startsWith(folder)),
          `${path} is not listed`,
        )
      }
    }),
    test('fetches files by path and by URL', async source => {
      if (!source.fetch) return
      const found = await source.fetch('slides/SKILL.md')
      check(typeof found === 'object', `slides/SKILL.md: expected a file, got ${found}`)
      equal(found.bytes, stored('slides/SKILL.md'), 'the bytes')
      check(parseUrl(found.url) !== undefined, `url is ${JSON.stringify(found.url)}`)
      const again = await source.fetch(found.url, { ifVersion: found.version })
      if (found.version !== undefined) equal(again, 'unchanged', 'the same version by its URL')
      equal(await source.fetch('slides/nothing.md'), undefined, 'slides/nothing.md')
    }),
    test('rejects with "aborted" for an aborted signal', async source => {
      const signal = AbortSignal.abort(new Error('enough'))
      await rejects(() => source.read('slides/SKILL.md', { signal }), 'aborted', 'read')
      if (source.list) await rejects(async () => source.list?.({ signal }), 'aborted', 'list')
      equal((await readFile(source, 'slides/empty.txt')).bytes.length, 0, 'a read after an abort')
    }),
    test('returns a distinct root for each path', async source => {
      if (!source.root) return
      const roots = ['', 'slides', 'slides/SKILL.md', 'odd names/a#b.txt'].map(path =>
        source.root?.(path),
      )
      for (const root of roots) {
        check(typeof root === 'string' && root !== '', `root returns ${JSON.stringify(root)}`)
      }
      equal(new Set(roots).size, roots.length, 'the number of distinct roots')
    }),
  ].filter(({ name }) => !skip.includes(name))
}

async function readFile(
  source: SkillSource,
  path: string,
  options?: ReadOptions,
): Promise<ReadResult> {
  const result = await source.read(path, options)
  check(result !== undefined && result !== 'unchanged', `${path}: expected a file, got ${result}`)
  check(ArrayBuffer.isView(result.bytes), `${path}: bytes is not a Uint8Array`)
  return result
}
