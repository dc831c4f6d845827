import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { beforeAll, describe, expect, it } from 'vitest'

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
let tree: ICruiseResult['modules'] = []
let modules: ICruiseResult['modules'] = []

beforeAll(async () => {
  const { output } = await cruise(TREE, {
    baseDir: root,
    doNotFollow: { path: 'node_modules' },
    // What is built or installed is not part of the tree.
    exclude: '(^|/)(node_modules|dist|public)/',
    includeOnly: `^(${TREE.join('|')})/`,
    tsPreCompilationDeps: true,
    ruleSet: { forbidden: [{ name: 'cycle', from: {}, to: { circular: true } }] },
    validate: true,
  })
  tree = (output as ICruiseResult).modules
  modules = tree.filter(({ source }) => source.startsWith('src/'))
})

describe('structure of src', () => {
  it('has no floor but those listed', () => {
    const entries = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true })
    const floors = entries.filter(entry => entry.isDirectory())
    expect(floors.map(({ name }) => name).sort()).toEqual([...FLOORS].sort())
  })

  it('imports from earlier rooms only', () => {
    expect(modules.length).toBeGreaterThan(200)
    const upward = modules.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ resolved }) => ROOMS.indexOf(roomOf(resolved)) > ROOMS.indexOf(roomOf(source)))
        .map(({ resolved }) => `${source} imports ${resolved}`),
    )
    expect(upward).toEqual([])
  })
})

describe('structure of the whole tree', () => {
  it('covers every folder', () => {
    const found = new Set(tree.map(({ source }) => source.split('/')[0]))
    expect(TREE.filter(folder => !found.has(folder))).toEqual([])
  })

  it('has no import cycle between files', () => {
    const cycles = tree.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ circular }) => circular)
        .map(({ cycle }) => [source, ...(cycle ?? []).map(({ name }) => name)].join(' -> ')),
    )
    expect(cycles).toEqual([])
  })

  it.each([
    ['bench', 'training'],
    ['src', 'demo'],
    ['src', 'test'],
    ['demo', 'test'],
    ['training', 'test'],
  ])('%s imports nothing of %s', (importing, imported) => {
    const imports = tree
      .filter(({ source }) => source.startsWith(`${importing}/`))
      .flatMap(({ source, dependencies }) =>
        dependencies
          .filter(({ resolved }) => resolved.startsWith(`${imported}/`))
          .map(({ resolved }) => `${source} imports ${resolved}`),
      )
    expect(imports).toEqual([])
  })
})
