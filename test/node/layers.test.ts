import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { groupBy } from '../../src/core/group-by.js'

/** The floors of `src`, from the bottom up, with their rooms. A file imports only from earlier lines. DESIGN.md says what each holds. */
const ROOMS = [
  'core core/text',
  'skill',
  'source',
  'search/model search/index search/match search/pieces search/decide search/thread',
  'library/catalog library/signed library/indexing library/api library/state library/model library/query library/learning library/paged library/local library/pieces library/enrich library/store library',
  'agent/session agent/dialects agent/tool-shelf agent/adapters',
  'server/engine server/client server/mcp server/http',
  'ui/state ui/element ui/frameworks',
  'tools/testing tools/listing tools/hook tools/cli tools/vite',
  'exports',
].flatMap(floor => floor.split(' '))
/** Every folder with code. A file of them imports no file that imports it, at any distance. */
const TREE = [
  'src',
  'demo',
  'worker',
  'bench',
  'training',
  'scripts',
  'kernel',
  'examples',
  'docs',
  'test',
]
const FLOORS = [...new Set(ROOMS.map(room => room.split('/')[0]))]

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The innermost room of a file: `src/library/learning/learning.ts` is in `library/learning`, `src/library/open-library.ts` in `library`. */
const roomOf = (path: string): string =>
  ROOMS.filter(room => path.startsWith(`src/${room}/`)).sort((a, b) => b.length - a.length)[0] ??
  path

/** The files with code below a folder. What is built or installed is not part of the tree. */
function codeBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const { name } = entry
    const path = `${folder}/${name}`
    if (entry.isFile()) return /\.[cm]?[jt]sx?$/.test(name) ? [path] : []
    return /^(?:node_modules|dist|public|cache)$/.test(name) ? [] : codeBelow(path)
  })
}

/** The file of the tree that a relative import names, without the query of a bundler. */
function resolveImport(from: string, specifier: string): string | undefined {
  const path = posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''))
  const typed = path.replace(/\.js$/, '')
  const endings = [`${typed}.ts`, `${typed}.tsx`, path]
  return endings.find(file => statSync(join(root, file), { throwIfNoEntry: false })?.isFile())
}

/** The files of the tree that a file imports, in code and in types. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true)
  const relative = importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
  return relative.flatMap(({ fileName }) => resolveImport(file, fileName) ?? [])
}

const files = TREE.flatMap(codeBelow)
/** Every import between files, as the file and what it imports. */
const imports = files.flatMap(file => importsOf(file).map(imported => [file, imported] as const))

/** Imports of files below the first folder that name files below the second. */
const importsBetween = (from: string, to: string): string[] =>
  imports
    .filter(([file, imported]) => file.startsWith(`${from}/`) && imported.startsWith(`${to}/`))
    .map(([file, imported]) => `${file} imports ${imported}`)

/** Paths of imports that lead back to where they begin: at least one, if there are any. */
function findCycles(): string[] {
  const importedBy = groupBy(imports, ([file]) => file)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, above: readonly string[]): void => {
    const start = above.indexOf(file)
    if (start >= 0) cycles.push([...above.slice(start), file].join(' -> '))
    if (start >= 0 || done.has(file)) return
    for (const [, imported] of importedBy.get(file) ?? []) visit(imported, [...above, file])
    done.add(file)
  }
  for (const file of importedBy.keys()) visit(file, [])
  return cycles
}

describe('structure of src', () => {
  it('has no floor but those listed', () => {
    const entries = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true })
    const floors = entries.filter(entry => entry.isDirectory())
    expect(floors.map(({ name }) => name).sort()).toEqual([...FLOORS].sort())
  })

  it('imports from earlier rooms only', () => {
    expect(importsBetween('src', 'src').length).toBeGreaterThan(1_000)
    const upward = imports
      .filter(([file]) => file.startsWith('src/'))
      .filter(([file, imported]) => ROOMS.indexOf(roomOf(imported)) > ROOMS.indexOf(roomOf(file)))
      .map(([file, imported]) => `${file} imports ${imported}`)
    expect(upward).toEqual([])
  })
})

describe('structure of the whole tree', () => {
  it('covers every folder', () => {
    const found = new Set(files.map(file => file.split('/')[0]))
    expect(TREE.filter(folder => !found.has(folder))).toEqual([])
  })

  it('has no import cycle between files', () => {
    expect(findCycles()).toEqual([])
  })

  it.each([
    ['bench', 'training'],
    ['src', 'demo'],
    ['src', 'test'],
    ['demo', 'test'],
    ['training', 'test'],
  ])('%s imports nothing of %s', (importing, imported) => {
    expect(importsBetween(importing, imported)).toEqual([])
  })
})
