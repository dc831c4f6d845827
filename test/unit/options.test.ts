import { expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { r2 } from '../../src/exports/cloudflare.js'
import { openEngineLibrary, publishToEngine, qdrant } from '../../src/exports/engine.js'
import { cached, http, memory, openLibrary, parseSkill, preload } from '../../src/exports/index.js'
import { llmRerank } from '../../src/exports/match.js'
import { createMcpServer } from '../../src/exports/mcp.js'
import { directory } from '../../src/exports/node.js'
import { createHandler, warm } from '../../src/exports/server.js'
import { createSession } from '../../src/exports/session.js'
import { archive, github, indexedDb, signed } from '../../src/exports/sources.js'
import { exportSkill, pack, skillStore } from '../../src/exports/store.js'
import { runTriggers } from '../../src/exports/testing.js'
import { transformers } from '../../src/exports/transformers.js'
import { skillshelf } from '../../src/exports/vite.js'

const FILES = { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' }
const library = await openLibrary(memory(FILES), { embedder: false })
const source = memory(FILES)
const ask = async () => ''

/** Options are of type `never`, because the compiler refuses misspelled ones too. */
const CALLS: Record<string, [option: string, meant: string, call: (o: never) => unknown]> = {
  match: ['treshold', 'threshold', options => library.match('tea', options)],
  search: ['limt', 'limit', options => library.search('tea', options)],
  explain: ['lang', 'language', options => library.explain('tea', 'tea', options)],
  list: ['tag', 'tags', options => library.list(options)],
  get: ['sginal', 'signal', options => library.get('tea', options)],
  read: ['ranges', 'range', options => library.read('tea', 'SKILL.md', options)],
  refresh: ['signals', 'signal', options => library.refresh(options)],
  upgrade: ['timout', 'timeout', options => library.upgrade(ask as never, options)],
  enrich: ['language', 'languages', options => library.enrich(ask, options)],
  openLibrary: ['embeder', 'embedder', options => openLibrary(FILES, options)],
  http: ['header', 'headers', options => http('https://example.com/', options)],
  memory: ['nam', 'name', options => memory({}, options)],
  directory: ['ignores', 'ignore', options => directory('.', options)],
  github: ['tokn', 'token', options => github('a/b', options)],
  archive: ['limit', 'limits', options => archive(new Uint8Array(0), options)],
  r2: ['prefx', 'prefix', options => r2({} as never, options)],
  indexedDb: ['keepold', 'keepOld', options => indexedDb('a', options)],
  cached: ['maxByte', 'maxBytes', options => cached(source, memory(), options)],
  signed: ['publicKey', 'publicKeys', options => signed(source, options)],
  skillStore: ['strickt', 'strict', options => skillStore(memory(), options)],
  install: ['allows', 'allow', options => skillStore(memory()).install(FILES, options)],
  pack: ['wellknown', 'wellKnown', options => pack(source, options).next()],
  exportSkill: ['alow', 'allow', options => exportSkill(library, 'tea', options)],
  createSession: ['contextToken', 'contextTokens', options => createSession(library, options)],
  prepare: ['maxTokns', 'maxTokens', options => createSession(library).prepare('tea', options)],
  createHandler: ['tokn', 'token', options => createHandler(with_(options, { library }))],
  'createHandler with a source': [
    'embeder',
    'embedder',
    options => createHandler(with_(options, { source })),
  ],
  warm: ['embeder', 'embedder', options => warm(options)],
  connectLibrary: ['tokn', 'token', options => connectLibrary('http://localhost/', options)],
  createMcpServer: ['sesion', 'session', options => createMcpServer(library, options)],
  llmRerank: ['timout', 'timeout', options => llmRerank(ask, options)],
  transformers: ['modell', 'model', options => transformers(options)],
  openEngineLibrary: ['rerrank', 'rerank', options => openEngineLibrary(options)],
  qdrant: ['collections', 'collection', options => qdrant(options)],
  publishToEngine: ['dryrun', 'dryRun', options => publishToEngine(source, options)],
  preload: ['embeder', 'embedder', options => preload(options)],
  parseSkill: ['folders', 'folder', options => parseSkill('', options)],
  runTriggers: ['treshold', 'threshold', options => runTriggers(library, [], options)],
  skillshelf: ['dirs', 'dir', options => skillshelf(options)],
}
const with_ = <Base extends object>(options: object, base: Base): Base => ({ ...base, ...options })

it.each(Object.entries(CALLS))(
  '[CARD-5] %s refuses an option that it does not have',
  async (_, [option, meant, call]) => {
    const error = await (async () => call({ [option]: 1 } as never))().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(error).toMatchObject({
      code: 'invalid-input',
      message: `unknown option \`${option}\`; did you mean \`${meant}\`?`,
      details: { subject: option, candidates: expect.arrayContaining([meant]) },
    })
  },
)

it('[CARD-5] an option without a similar one is refused with the list; one that is undefined is absent', async () => {
  await expect(library.match('tea', { zzz: 1 } as never)).rejects.toThrow(
    /^unknown option `zzz` \(the options are tags, origins, .*candidates\)$/,
  )
  await expect(library.match('tea', { toString: 1 } as never)).rejects.toThrow(/`toString`/)
  await library.match('tea', { treshold: undefined, limit: undefined } as never)
})
