import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { beforeAll, describe, expect, it } from 'vitest'

/** The rooms of `src`, from the bottom up: a room imports only from rooms before it. DESIGN.md says what each holds. */
const ROOMS = [
  'core',
  'text',
  'skill',
  'source',
  'embed',
  'segment',
  'catalog',
  'match',
  'enrich',
  'library',
  'store',
  'engine',
  'session',
  'dialects',
  'client',
  'adapters',
  'server',
  'thread',
  'ui',
  'element',
  'frameworks',
  'testing',
  'vite',
  'cli',
  'exports',
]

const root = fileURLToPath(new URL('../..', import.meta.url))
const roomOf = (path: string): string => path.split('/')[1] as string
let modules: ICruiseResult['modules'] = []

beforeAll(async () => {
  const { output } = await cruise(['src'], {
    baseDir: root,
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^src',
    tsPreCompilationDeps: true,
    ruleSet: { forbidden: [{ name: 'cycle', from: {}, to: { circular: true } }] },
    validate: true,
  })
  modules = (output as ICruiseResult).modules
})

describe('structure of src', () => {
  it('has no room but those listed', () => {
    const rooms = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true }).filter(entry =>
      entry.isDirectory(),
    )
    expect(rooms.map(room => room.name).sort()).toEqual([...ROOMS].sort())
  })

  it('imports from lower rooms only', () => {
    expect(modules.length).toBeGreaterThan(200)
    const upward = modules.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ resolved }) => ROOMS.indexOf(roomOf(resolved)) > ROOMS.indexOf(roomOf(source)))
        .map(({ resolved }) => `${source} imports ${resolved}`),
    )
    expect(upward).toEqual([])
  })

  it('has no import cycle between files', () => {
    const cycles = modules.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ circular }) => circular)
        .map(({ cycle }) => [source, ...(cycle ?? []).map(({ name }) => name)].join(' -> ')),
    )
    expect(cycles).toEqual([])
  })
})
