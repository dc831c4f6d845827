import { expect, it } from 'vitest'
import { skillMiddleware } from '../../src/exports/adapters/ai-sdk.js'
import { answerToolUses } from '../../src/exports/adapters/anthropic.js'
import { createPromptChat, registerSkillTools } from '../../src/exports/adapters/browser.js'
import * as openai from '../../src/exports/adapters/openai.js'
import { answerWithSkills as generate } from '../../src/exports/adapters/transformers.js'
import { answerWithSkills as answerInTab } from '../../src/exports/adapters/web-llm.js'
import { connectLibrary } from '../../src/exports/client.js'
import { r2 } from '../../src/exports/cloudflare.js'
import { openEngineLibrary, publishToEngine, qdrant } from '../../src/exports/engine.js'
import { cached, http, memory, openLibrary, parseSkill, preload } from '../../src/exports/index.js'
import { llmRerank, localMatcher } from '../../src/exports/match.js'
import { createMcpServer } from '../../src/exports/mcp.js'
import { directory } from '../../src/exports/node.js'
import { createHandler, warm } from '../../src/exports/server.js'
import { callTool, catalogSection, createSession, skillDigest } from '../../src/exports/session.js'
import { archive, github, indexedDb, signed, writeArchive } from '../../src/exports/sources.js'
import { exportSkill, pack, skillStore } from '../../src/exports/store.js'
import { runTriggers } from '../../src/exports/testing.js'
import { transformers } from '../../src/exports/transformers.js'
import { skillshelf } from '../../src/exports/vite.js'

const FILES = { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' }
const library = await openLibrary(memory(FILES), { embedder: false })
const source = memory(FILES)
const session = createSession(library)
const learning = await openLibrary(memory(FILES), {
  embedder: false,
  learn: { load: async () => undefined, save: async () => {} },
})
const ask = async () => ''

/** Options are of type `never`, because the compiler refuses misspelled ones too. */
const CALLS: Record<string, [option: string, meant: string, call: (o: never) => unknown]> = {
  match: ['treshold', 'threshold', options => library.match('tea', options)],
  search: ['limt', 'limit', options => library.search('tea', options)],
  explain: ['lang', 'language', options => library.explain('tea', 'tea', options)],
  'a message': ['histroy', 'history', query => library.match(with_(query, { message: 'tea' }))],
  list: ['tag', 'tags', options => library.list(options)],
  get: ['sginal', 'signal', options => library.get('tea', options)],
  read: ['ranges', 'range', options => library.read('tea', 'SKILL.md', options)],
  refresh: ['signals', 'signal', options => library.refresh(options)],
  upgrade: ['timout', 'timeout', options => library.upgrade(ask as never, options)],
  enrich: ['language', 'languages', options => library.enrich(ask, options)],
  use: ['signals', 'signal', options => library.use('x', options)],
  ready: ['signals', 'signal', options => library.ready(options)],
  learn: ['signals', 'signal', options => learning.learn('tea', 'tea', options)],
  forget: ['skil', 'skill', options => learning.forget(options)],
  openLibrary: ['embeder', 'embedder', options => openLibrary(FILES, options)],
  http: ['header', 'headers', options => http('https://example.com/', options)],
  memory: ['nam', 'name', options => memory({}, options)],
  directory: ['ignores', 'ignore', options => directory('.', options)],
  github: ['tokn', 'token', options => github('a/b', options)],
  archive: ['limit', 'limits', options => archive(new Uint8Array(0), options)],
  'limits of archive': ['ratios', 'ratio', limits => archive(new Uint8Array(0), { limits }).list()],
  writeArchive: ['fromat', 'format', options => writeArchive({}, options)],
  r2: ['prefx', 'prefix', options => r2({} as never, options)],
  indexedDb: ['keepold', 'keepOld', options => indexedDb('a', options)],
  cached: ['maxByte', 'maxBytes', options => cached(source, memory(), options)],
  signed: ['publicKey', 'publicKeys', options => signed(source, options)],
  skillStore: ['strickt', 'strict', options => skillStore(memory(), options)],
  install: ['allows', 'allow', options => skillStore(memory()).install(FILES, options)],
  sweep: ['olderThen', 'olderThan', options => skillStore(memory()).sweep(options)],
  pack: ['wellknown', 'wellKnown', options => pack(source, options).next()],
  'sign of pack': ['revisions', 'revision', sign => pack(source, { sign }).next()],
  exportSkill: ['alow', 'allow', options => exportSkill(library, 'tea', options)],
  createSession: ['contextToken', 'contextTokens', options => createSession(library, options)],
  prepare: ['maxTokns', 'maxTokens', options => createSession(library).prepare('tea', options)],
  'a turn': ['histroy', 'history', turn => session.prepare(with_(turn, { message: 'tea' }))],
  budgets: ['skil', 'skill', budgets => createSession(library, { budgets })],
  load: ['signals', 'signal', options => session.load('tea', options)],
  loadReference: ['bye', 'by', options => session.loadReference('tea', 'a', options)],
  'read of a session': ['bye', 'by', options => session.read('tea', 'a', options)],
  callTool: ['signals', 'signal', options => callTool(session, 'load_skill', {}, options)],
  catalogSection: ['maxToken', 'maxTokens', options => catalogSection([], options)],
  skillDigest: ['signals', 'signal', options => skillDigest(library, 'tea', options)],
  skillTools: ['stric', 'strict', options => openai.skillTools(session, options)],
  responseTools: ['stric', 'strict', options => openai.responseTools(session, options)],
  prepareRequest: ['sytem', 'system', options => openai.prepareRequest(session, [], options)],
  answerToolCalls: [
    'hostTool',
    'hostTools',
    options => openai.answerToolCalls(session, {}, options),
  ],
  answerToolUses: ['hostTool', 'hostTools', options => answerToolUses(session, [], options)],
  skillMiddleware: ['limits', 'limit', options => skillMiddleware(session, options)],
  createPromptChat: ['creat', 'create', options => createPromptChat(session, options)],
  registerSkillTools: ['prefixes', 'prefix', options => registerSkillTools(session, options)],
  'answerWithSkills of WebLLM': [
    'histroy',
    'history',
    turn => answerInTab(session, {} as never, turn),
  ],
  'answerWithSkills of transformers': ['histroy', 'history', turn => generate(session, ask, turn)],
  localMatcher: ['embeder', 'embedder', options => localMatcher(options)],
  'mcp of createHandler': ['sesion', 'session', mcp => createHandler({ library, mcp })],
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
