import { type Remote, windowEndpoint, wrap } from 'comlink'
import { beforeAll, expect, it } from 'vitest'
import { type MatchResult, memory } from '../../src/exports/index.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { toy } from '../toy-model.js'
import { atEnd, readiness } from './indexeddb-helpers.js'
import type { PartsRealm } from './optional-parts-realm.js'

/** What an engine or a page may lack, by the names of the globals. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  storage: ['indexedDB', 'localStorage', 'sessionStorage', 'caches', 'navigator.storage'],
  locks: ['navigator.locks'],
  channels: ['BroadcastChannel'],
  workers: ['Worker', 'SharedWorker'],
  WebAssembly: ['WebAssembly'],
  'service workers': ['navigator.serviceWorker'],
  'WebCrypto, as in an insecure context': ['crypto.subtle'],
  streams: ['CompressionStream', 'DecompressionStream'],
  'what browsers of 2023 lack': [
    'AbortSignal.any',
    'Array.fromAsync',
    'ArrayBuffer.prototype.transfer',
    'Iterator',
    'Map.groupBy',
    'Object.groupBy',
    'Promise.try',
    'Promise.withResolvers',
    'RegExp.escape',
    'Set.prototype.difference',
    'Set.prototype.intersection',
    'Set.prototype.union',
    'URL.canParse',
    'URL.parse',
    'Uint8Array.fromBase64',
    'Uint8Array.prototype.toBase64',
  ],
}
const MESSAGES = [
  'make slides for a talk',
  '给我做一份演示文稿',
  'スライドを作って',
  'nothing of this',
]
/** From this number of skills on, vectors are compared in WebAssembly. */
const MANY = 2_000

let files: Record<string, Uint8Array<ArrayBuffer>>
let expected: Awaited<ReturnType<PartsRealm['answers']>>

/** A page from which globals are removed before any module runs. */
async function pageWithout(
  names: readonly string[],
  { sandboxed = false } = {},
): Promise<Remote<PartsRealm>> {
  const frame = document.createElement('iframe')
  const ready = readiness(frame)
  const remove = (names: readonly string[]): void => {
    for (const name of names) {
      const path = name.split('.')
      const key = path.pop() as string
      // biome-ignore lint/suspicious/noExplicitAny: any global
      let owner = path.reduce((object: any, step) => object?.[step], globalThis)
      for (; owner; owner = Object.getPrototypeOf(owner)) Reflect.deleteProperty(owner, key)
    }
  }
  const script = new URL('./optional-parts-realm.ts', import.meta.url).href
  if (sandboxed) frame.sandbox.add('allow-scripts')
  frame.srcdoc = `<script>(${remove})(${JSON.stringify(names)})</script><script type="module" src="${script}"></script>`
  document.body.append(frame)
  atEnd(() => frame.remove())
  await ready
  return wrap<PartsRealm>(windowEndpoint(frame.contentWindow as Window))
}

beforeAll(async () => {
  const others = Array.from({ length: MANY }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`)])
  files = await packedFiles(
    memory({
      'deck/SKILL.md': skill('deck', 'Makes slides. 制作演示文稿。スライドを作ります。'),
      'deck/theme.txt': 'a theme',
      'bill/SKILL.md': skill('bill', 'Writes an invoice.'),
      ...Object.fromEntries(others),
    }),
    { embedder: toy() },
  )
  expected = await (await pageWithout([])).answers(files, MESSAGES)
})

it('[BY-40] a page with every part answers without a diagnostic', () => {
  expect(JSON.parse(expected.answers).found[0].matches[0]).toMatchObject({ name: 'deck' })
  expect(expected).toMatchObject({ codes: [], installed: 'installed' })
})

for (const [part, names] of [
  ...Object.entries(PARTS),
  ['all of these', Object.values(PARTS).flat()] as const,
])
  it(`[BY-40] without ${part}, a page gives the same answers`, async () => {
    const { answers, codes, installed } = await (await pageWithout(names)).answers(files, MESSAGES)
    expect(answers).toEqual(expected.answers)
    const stores = !names.includes('indexedDB')
    expect(codes).toEqual(stores ? [] : ['copy-not-stored', 'learned-unreadable'])
    expect(installed).toBe(stores ? 'installed' : 'unsupported')
  })

// A gap: dictionaries of `Intl.Segmenter` differ between engines, so scores of Chinese and Japanese messages do too. A divider of our own
// would close it, and finds fewer skills: see docs/decisions/003-text-analysis.md.
it('[BY-40] without `Intl.Segmenter`, messages in each script find the same skills first', async () => {
  const { answers } = await (await pageWithout(['Intl.Segmenter'])).answers(files, MESSAGES)
  const first = (json: string) =>
    JSON.parse(json).found.map(({ status, matches, maybe }: MatchResult) => [
      status,
      matches[0]?.name,
      maybe[0]?.name,
    ])
  expect(first(answers)).toEqual(first(expected.answers))
})

it('[BY-40] a frame without access to storage gives the same answers, and says `unsupported`', async () => {
  const page = await pageWithout([], { sandboxed: true })
  const { answers, codes, installed } = await page.answers(files, MESSAGES)
  expect(answers).toEqual(expected.answers)
  expect(codes).toEqual(['copy-not-stored', 'learned-unreadable'])
  expect(installed).toBe('unsupported')
})
