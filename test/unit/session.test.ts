import { describe, expect, it } from 'vitest'
import type { MatchQuery } from '../../src/exports/index.js'
import {
  estimateTokens,
  type MatchOptions,
  memory,
  openLibrary,
  type SkillLibrary,
} from '../../src/exports/index.js'
import {
  callTool,
  createSession,
  type HostMessage,
  restoreSession,
  type Session,
  type SessionMessage,
  type SessionOptions,
} from '../../src/exports/session.js'
import { skill } from '../skill-file.js'
import { countWords, words } from './dialect-world.js'

/** Counts the words of skills and messages. The markup of the dialect and the tools have tests of their own: injected.test.ts. */
const countTokens = (text: string): number =>
  countWords(text.replace(/^(?:<\/?(?:skill_content|skill_resources|file)\b|\{"name").*$/gm, ''))

const messageOf = (role: SessionMessage['role'], content: string): SessionMessage => ({
  role,
  content,
})

const PDF_TOOLS = 'Bash(pdftotext:*) Read'
const DECK_LIMITS = 'max_iterations: 40\ntimeout: 60\n'
const FILES = {
  'pdf/SKILL.md': skill(
    'pdf',
    'Extracts tables from PDF documents',
    words(400),
    `allowed-tools: ${PDF_TOOLS}\n`,
  ),
  'pdf/forms.md': words(200),
  'pdf/logo.png': new Uint8Array([137, 80, 78, 71, 0]),
  'deck/SKILL.md': skill(
    'deck',
    'Makes slides for a talk',
    words(300),
    `allowed-tools: Write\n${DECK_LIMITS}`,
  ),
  'tea/SKILL.md': skill('tea', 'Brews tea', words(200), 'timeout: 900\n'),
  'long/SKILL.md': skill('long', 'Has very much to say', words(8_000)),
  'own/SKILL.md': skill('own', 'For people', 'Do.', 'disable-model-invocation: true\n'),
  'inner/SKILL.md': skill('inner', 'For models', 'Do.', 'user-invocable: false\n'),
}

const open = (
  files: Record<string, string | Uint8Array<ArrayBuffer>> = FILES,
): Promise<SkillLibrary> => openLibrary(memory(files, { name: 'mine' }))
const start = async (
  options?: SessionOptions,
  files?: Parameters<typeof open>[0],
): Promise<Session> => createSession(await open(files), options)
const REMINDER =
  '<skill_open name="deck">Its instructions were left out of this conversation: load_skill restores them.</skill_open>'
/** Without catalog and system prompt in the ledger. */
const bare: SessionOptions = { countTokens, catalogTokens: 0, system: 0 }

describe('load', () => {
  it('[OE-2] opens a skill once and returns its tokens', async () => {
    const session = await start({ countTokens })
    expect(await session.load('PDF')).toMatchObject({ status: 'loaded', tokens: 400, unloaded: [] })
    expect(await session.load('pdf')).toMatchObject({ status: 'already-loaded', tokens: 400 })
    expect(session.open.map(one => one.skill.id)).toEqual(['mine/pdf'])
    expect(session.ledger().instructions).toEqual({ tokens: 400, budget: 5_000 })
    await expect(session.load('pfd')).rejects.toMatchObject({ code: 'skill-not-found' })
  })

  it('[OE-2] rejects a skill over the skill budget, with the figures', async () => {
    await using library = await open()
    const session = createSession(library, { countTokens, budgets: { skill: 8_000 } })
    const message = expect.stringContaining('raise `budgets.skill` of createSession')
    const details = { figures: { skill: 8_000, budget: 8_000 } }
    await expect(session.load('long')).rejects.toMatchObject({
      code: 'too-large',
      message,
      details,
    })
    expect(session.open).toEqual([])
    const roomy = createSession(library, { countTokens, budgets: { skill: 8_001 } })
    expect((await roomy.load('long')).status).toBe('loaded')
    expect((await createSession(library, { countTokens }).load('long')).status).toBe('loaded')
  })

  it('[OE-2] [OE-5] unloads skills that recent messages do not mention, and only as many as needed', async () => {
    const session = await start({ ...bare, contextTokens: 1_000 })
    const catalog = session.ledger().metadata.tokens
    await session.load('deck')
    await session.load('tea')
    await session.loadReference('deck', 'SKILL.md')
    session.observe([messageOf('user', 'The TEA, please.')])
    const { unloaded } = await session.load('pdf')
    expect(unloaded).toEqual(['mine/deck'])
    expect(session.open.map(one => one.skill.name)).toEqual(['tea', 'pdf'])
    expect(session.ledger()).toMatchObject({
      references: { tokens: 0 },
      total: catalog + 200 + 400 + 3,
    })
  })

  it('[OE-5] [OE-7] removes the instructions of an unloaded skill from the messages', async () => {
    const session = await start({ ...bare, contextTokens: 1_000 })
    const give = async (name: string) =>
      messageOf('tool', (await callTool(session, 'load_skill', { skill: name })).text)
    const between = Array.from({ length: 9 }, () => messageOf('user', 'ok'))
    const messages = [
      await give('deck'),
      ...between,
      await give('tea'),
      messageOf('user', 'more tea'),
    ]
    session.observe(messages)
    const before = session.ledger().total
    expect((await session.load('pdf')).unloaded).toEqual(['mine/deck'])
    expect(session.messages).toEqual([messageOf('tool', REMINDER), ...messages.slice(1)])
    expect(session.ledger()).toMatchObject({
      instructions: { tokens: 600 },
      toolResults: { tokens: 12 },
    })
    // A host that keeps its own messages still pays for their instructions.
    session.observe(messages)
    expect(session.ledger().total).toBe(before + 400)
  })

  it('[OE-5] keeps only skills whose whole name is in the last ten messages', async () => {
    await using library = await open({
      ...FILES,
      'ppt/SKILL.md': skill('ppt', 'Decks', words(300), 'display_name: 做演示\n'),
    })
    const stays = async (...messages: string[]): Promise<boolean> => {
      const session = createSession(library, { ...bare, contextTokens: 700 })
      await session.load('ppt')
      session.observe(messages.map(content => messageOf('user', content)))
      await session.load('pdf').catch(() => undefined)
      return session.open.some(one => one.skill.name === 'ppt')
    }
    expect(await stays('use PPT now')).toBe(true)
    expect(await stays('帮我做演示吧')).toBe(true)
    expect(await stays('open "mine/ppt".')).toBe(true)
    expect(await stays('the file is a.pptx', 'my-ppt', 'ppt_2')).toBe(false)
    expect(await stays('use ppt', ...Array.from({ length: 10 }, () => 'and then'))).toBe(false)
    expect(await stays('use ppt', ...Array.from({ length: 9 }, () => 'and then'))).toBe(true)
  })

  it('[OE-2] throws all figures if a skill does not fit, and keeps the open skills', async () => {
    const session = await start({ ...bare, contextTokens: 700, system: words(100) })
    await session.load('deck')
    session.observe([messageOf('user', 'the deck')])
    const error = await session.load('pdf').catch(one => one)
    const figures = { needed: 400, limit: 630, context: 700, unloaded: 0 }
    expect(error).toMatchObject({ code: 'too-large', details: { figures } })
    expect(error.details.figures.used).toBe(session.ledger().total)
    expect(error.message).toMatch(/needed 400.*used \d+.*percent.*limit 630.*context 700/)
    expect(session.open.map(one => one.skill.name)).toEqual(['deck'])
  })

  it('[OE-2] keeps the total strictly below the share of the context', async () => {
    await using library = await open()
    const catalog = createSession(library, bare).ledger().total
    const load = (contextTokens: number) =>
      createSession(library, { ...bare, contextTokens, budgets: { share: 1 } }).load('tea')
    await expect(load(catalog + 200)).rejects.toMatchObject({ code: 'too-large' })
    expect((await load(catalog + 201)).status).toBe('loaded')
  })

  it('calls `compact` to shorten the messages', async () => {
    await using library = await open()
    const asked: number[] = []
    const compact: SessionOptions['compact'] = (messages, { tokens }) => {
      asked.push(tokens)
      return messages.slice(-1)
    }
    const session = createSession(library, { ...bare, contextTokens: 1_000, compact })
    session.observe([messageOf('user', words(700)), messageOf('user', 'now')])
    const { total } = session.ledger()
    await session.load('tea')
    expect(asked).toEqual([total + 200 - 900 + 1])
    expect(session.messages).toEqual([messageOf('user', 'now')])
    const useless = createSession(library, {
      ...bare,
      contextTokens: 100,
      compact: messages => messages,
    })
    await expect(useless.load('tea')).rejects.toMatchObject({ code: 'too-large' })
  })

  it('a trusted digest under the name of a skill is an error: it would protect nothing', async () => {
    await using library = await open({ 'pdf/SKILL.md': skill('pdf', 'Reads PDF files', 'Do.') })
    const [{ id = '' } = {}] = library.snapshot.skills
    expect(() => createSession(library, { trust: { pdf: 'sha256:00' } })).toThrow(
      `"trust" needs ${id}, not pdf`,
    )
    expect(() =>
      createSession(library, { trust: { [id]: 'sha256:00', gone: 'sha256:00' } }),
    ).not.toThrow()
  })

  it('rejects invalid options and libraries', async () => {
    await using library = await open({})
    const wrong = [{ contextTokens: Number.NaN }, { contextTokens: 0 }, { budgets: { share: -1 } }]
    for (const bad of [...wrong, { catalogTokens: '9' as never }])
      expect(() => createSession(library, bad)).toThrow(
        /must be a (?:positive|non-negative) number, not /,
      )
    for (const input of [undefined, Promise.resolve(library)])
      expect(() => createSession(input as never)).toThrow(
        '"library" must be an open library (pass the result of await',
      )
    const digests = '"trust" must be an object of digests by skill id'
    for (const [options, says] of [
      [{ budgets: { skill: 'x' } }, '"budgets.skill" must be a non-negative number, not "x"'],
      [{ allow: ['pdf'] }, '"allow" must be a function'],
      [{ countTokens: 4 }, '"countTokens" must be a function'],
      [{ trust: new Map([['skills/pdf', 'sha256:00']]) }, digests],
      [{ trust: ['skills/pdf'] }, digests],
      [{ trust: { 'skills/pdf': true } }, digests],
      [{ dialect: 'openseed' }, '"dialect" must be a dialect, not "openseed" (import one'],
    ] as [never, string][])
      expect(() => createSession(library, options)).toThrow(says)
  })
})

describe('loadReference', () => {
  it('[OE-4] requires an open skill, adds a file once and counts its tokens', async () => {
    const session = await start({ countTokens })
    await expect(session.loadReference('pdf', 'forms.md')).rejects.toMatchObject({
      code: 'not-loaded',
    })
    await session.load('pdf')
    expect(await session.loadReference('pdf', 'forms.md')).toMatchObject({
      status: 'loaded',
      tokens: 200,
    })
    expect(await session.loadReference('pdf', './forms.md')).toMatchObject({
      status: 'already-loaded',
      tokens: 200,
    })
    expect(session.ledger().references).toEqual({ tokens: 200, budget: 3_000 })
    await expect(session.loadReference('pdf', 'logo.png')).rejects.toMatchObject({
      code: 'unsupported',
    })
    await expect(session.loadReference('pdf', 'none.md')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
    await expect(session.loadReference('pdf', '../deck/SKILL.md')).rejects.toMatchObject({
      code: 'invalid-path',
    })
  })

  it('[OE-4] makes no room for a file that is already loaded', async () => {
    const session = await start({ ...bare, contextTokens: 1_000 })
    await session.load('tea')
    await session.load('pdf')
    await session.loadReference('pdf', 'forms.md')
    session.observe([messageOf('user', 'the pdf')])
    expect(session.ledger().total + 200).toBeGreaterThan(900)
    expect(await session.loadReference('pdf', 'forms.md')).toMatchObject({
      status: 'already-loaded',
      unloaded: [],
    })
    expect(session.open.map(one => one.skill.name)).toEqual(['tea', 'pdf'])
  })

  it('[OE-6] unload removes the references of the skill', async () => {
    const session = await start({ countTokens })
    const before = session.ledger()
    await session.load('pdf')
    await session.loadReference('pdf', 'forms.md')
    expect(session.unload('PDF')?.skill.id).toBe('mine/pdf')
    expect(session.ledger()).toEqual(before)
    expect(session.unload('pdf')).toBeUndefined()
    expect(session.unload('no such skill')).toBeUndefined()
  })

  it('[OE-8] truncates old tool results first, then drops the oldest messages', async () => {
    await using library = await open()
    const steps = Array.from({ length: 9 }, (_, at) => `step ${at}`)
    const recent = [...steps, 'the pdf'].map(content => messageOf('user', content))
    const madeRoom = async (...messages: SessionMessage[]): Promise<readonly SessionMessage[]> => {
      const session = createSession(library, { ...bare, contextTokens: 2_000 })
      await session.load('pdf')
      session.observe([...messages, ...recent])
      await session.loadReference('pdf', 'forms.md')
      expect(session.ledger().total).toBeLessThan(1_800)
      expect(session.messages.slice(-10)).toEqual(recent)
      return session.messages.slice(0, -10)
    }
    const long = messageOf('tool', words(1_100, 'result'))
    const [first, result] = await madeRoom(messageOf('user', words(300, 'first')), long)
    expect(first?.content).toBe(words(300, 'first'))
    expect(result?.content).toMatch(/^result.*\n\[\d+ more characters were cut to make room\]$/s)
    const second = messageOf('user', words(500, 'second'))
    const note = messageOf('system', '[1 earlier messages were left out to make room]')
    expect(await madeRoom(messageOf('user', words(800, 'first')), second)).toEqual([note, second])
    expect(await madeRoom(messageOf('user', words(20)), messageOf('tool', words(20)))).toHaveLength(
      2,
    )
  })

  it('[OE-8] throws if nothing more can be dropped', async () => {
    const session = await start({ ...bare, contextTokens: 700 })
    await session.load('pdf')
    session.observe([messageOf('user', 'the pdf')])
    const error = { code: 'too-large', details: { figures: { needed: 200, limit: 630 } } }
    await expect(session.loadReference('pdf', 'forms.md')).rejects.toMatchObject(error)
    expect(session.open[0]?.references).toEqual([])
    expect(session.messages).toEqual([messageOf('user', 'the pdf')])
  })

  it('[OE-8] keeps changes made while `compact` runs', async () => {
    await using library = await open()
    const begin = async (during: (session: Session) => void) => {
      const session: Session = createSession(library, {
        ...bare,
        contextTokens: 1_000,
        compact: async () => {
          await Promise.resolve()
          during(session)
          return []
        },
      })
      await session.load('pdf')
      session.observe([messageOf('user', `the pdf ${words(600)}`)])
      return session
    }
    const closing = await begin(session => session.unload('pdf'))
    await expect(closing.loadReference('pdf', 'forms.md')).rejects.toMatchObject({
      code: 'not-loaded',
    })
    const talking = await begin(session => session.observe([messageOf('user', 'later')]))
    await talking.loadReference('pdf', 'forms.md')
    expect(talking.messages).toEqual([messageOf('user', 'later')])
    const twice = await begin(() => undefined)
    const both = await Promise.all([1, 2].map(() => twice.loadReference('pdf', 'forms.md')))
    expect(both.map(({ status }) => status).sort()).toEqual(['already-loaded', 'loaded'])
    expect(twice.open[0]?.references.map(({ path }) => path)).toEqual(['forms.md'])
  })

  it('[OE-8] counts the note about dropped messages', async () => {
    await using library = await open()
    for (let length = 20; length < 40; length++) {
      const session = createSession(library, { ...bare, contextTokens: 1_000 })
      await session.load('pdf')
      const lengths = [...Array<number>(39).fill(10), length]
      session.observe(lengths.map(length => messageOf('user', `the pdf ${words(length)}`)))
      expect((await session.loadReference('pdf', 'forms.md')).status).toBe('loaded')
      expect(session.ledger().total).toBeLessThan(900)
    }
  })
})

describe('ledger', () => {
  it('[OE-7] counts each component, and the percentage of the context', async () => {
    const options = { countTokens, system: words(50), contextTokens: 10_000 }
    const session = await start(options, { 'pdf/SKILL.md': FILES['pdf/SKILL.md'] })
    await session.load('pdf')
    session.observe([
      messageOf('user', words(20)),
      messageOf('assistant', words(10)),
      messageOf('tool', words(40)),
    ])
    const { metadata, ...ledger } = session.ledger()
    expect(metadata.budget).toBe(100)
    const total = 50 + metadata.tokens + 400 + 30 + 40
    expect(ledger).toEqual({
      system: { tokens: 50, budget: 2_000 },
      tools: { tokens: 0 },
      instructions: { tokens: 400, budget: 5_000 },
      references: { tokens: 0, budget: 0 },
      messages: { tokens: 30 },
      toolResults: { tokens: 40 },
      total,
      percent: Math.round(total / 10) / 10,
      contextTokens: 10_000,
    })
  })

  it('[OE-7] counts instructions in a tool result only once', async () => {
    const session = await start({ countTokens })
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    const before = session.ledger()
    session.observe([messageOf('tool', `${text} and more`)])
    expect(session.ledger()).toEqual({
      ...before,
      toolResults: { tokens: 2 },
      total: before.total + 2,
    })
  })
})

describe('prune, permits and limits', () => {
  it('[TD-9] prune keeps the tools that any open skill allows, and the tools of the session', async () => {
    const session = await start()
    const tools = ['Bash', 'Read', 'Write', 'load_skill', 'search_skills'].map(name => ({ name }))
    const names = (): string[] => session.prune(tools).map(({ name }) => name)
    expect(names()).toEqual(['Bash', 'Read', 'Write', 'load_skill', 'search_skills'])
    await session.load('pdf')
    expect(names()).toEqual(['Bash', 'Read', 'load_skill', 'search_skills'])
    await session.load('deck')
    expect(names()).toEqual(['Bash', 'Read', 'Write', 'load_skill', 'search_skills'])
    session.unload('pdf')
    expect(names()).toEqual(['Write', 'load_skill', 'search_skills'])
    await session.load('tea')
    expect(names()).toHaveLength(5)
    expect(session.prune(['Write', 'Nothing'], name => name)).toEqual(['Write', 'Nothing'])
  })

  it('[TD-9] prune accepts the tool formats of the SDKs and rejects tools without a name', async () => {
    const session = await start()
    await session.load('pdf')
    expect(session.prune(['Read', 'rm', 'load_skill'])).toEqual(['Read', 'load_skill'])
    const [read, rm] = ['Read', 'rm'].map(name => ({ type: 'function', function: { name } }))
    expect(session.prune([read, rm])).toEqual([read])
    const custom = [{ type: 'custom', custom: { name: 'rm' } }]
    expect(session.prune(custom)).toEqual([])
    expect(session.prune({ Read: 1, rm: 2, load_skill: 3 })).toEqual({ Read: 1, load_skill: 3 })
    expect(() => session.prune([{ type: 'web_search' }])).toThrow(/has no name \(pass a function/)
    expect(session.prune([{ type: 'Read' }], ({ type }) => type)).toHaveLength(1)
  })

  it('[TD-9] an empty list allows only the tools of the session', async () => {
    const session = await start(
      {},
      { 'none/SKILL.md': skill('none', 'Needs nothing', 'x', 'allowed_tools: []\n') },
    )
    await session.load('none')
    expect(session.prune([{ name: 'Bash' }, { name: 'load_skill' }])).toEqual([
      { name: 'load_skill' },
    ])
    expect(session.permits('Bash')).toBe(false)
    expect(session.permits('load_skill')).toBe(true)
  })

  it('[TD-9] permits matches arguments against patterns', async () => {
    const list =
      'allowed-tools:\n  - Bash(git:*)\n  - Bash(npm run *)\n  - Read(docs/a.md)\n  - Edit\n'
    const session = await start({}, { 'git/SKILL.md': skill('git', 'Uses git', 'x', list) })
    expect(session.permits('Bash', 'rm -rf /')).toBe(false)
    await session.load('git')
    const calls = ([tool, ...some]: [string, ...(string | undefined)[]]) =>
      some.map(one => session.permits(tool, one))
    expect(calls(['Bash', 'git status', 'git', 'npm run build'])).toEqual([true, true, true])
    expect(calls(['Bash', 'gitk', 'npm install', undefined])).toEqual([false, false, false])
    expect(calls(['Read', 'docs/a.md', 'docs/b.md'])).toEqual([true, false])
    expect(calls(['Edit', 'anything', undefined])).toEqual([true, true])
    expect(session.permits('Write', 'x')).toBe(false)
    expect(session.prune([{ name: 'Bash' }, { name: 'Write' }])).toEqual([{ name: 'Bash' }])
  })

  it('[TD-9] [BY-9] permits refuses shell operators, substitutions and line breaks after a prefix', async () => {
    const list =
      'allowed-tools:\n  - Bash(git:*)\n  - Bash(npm run *)\n  - Bash(make a; make b)\n  - Shell(*)\n'
    const session = await start({}, { 'git/SKILL.md': skill('git', 'Uses git', 'x', list) })
    await session.load('git')
    const operators = [';', '&&', '&', '||', '\n', '\r'].map(operator => `${operator} rm -rf ~`)
    const others = [
      '| sh',
      '> ~/.bashrc',
      '< /etc/passwd',
      '<(rm -rf ~)',
      '$(rm -rf ~)',
      '`rm -rf ~`',
    ]
    for (const rest of [...operators, ...others]) {
      for (const command of ['git status', 'npm run build'])
        expect([rest, session.permits('Bash', `${command} ${rest}`)]).toEqual([rest, false])
    }
    expect(session.permits('Bash', 'git log --format=$HOME')).toBe(true)
    expect(session.permits('Bash', 'make a; make b')).toBe(true)
    expect(session.permits('Shell', 'ls; pwd')).toBe(true)
  })

  /** Calls that leave what a list allows. */
  const ESCAPES: (readonly [pattern: string, tool: string, argument: string])[] = [
    ...'out/../../secret out/.. out/a/../../b out\\..\\..\\secret out/%2e%2e/secret out/..%2fsecret'
      .split(' ')
      .flatMap(path =>
        ['out/*', 'out*', 'o*'].map(pattern => [`Write(${pattern})`, 'Write', path] as const),
      ),
    ['Write(/work/out/*)', 'Write', '/work/out/../../etc/passwd'],
    ['Bash(python scripts/*)', 'Bash', 'python scripts/../../evil.py'],
    ['Bash(./scripts/*)', 'Bash', './scripts/../evil.sh'],
    ['Bash(npm run *)', 'Bash', 'npm run build =(rm -rf x)'],
    ['Bash(npm run *)', 'Bash', 'npm run build "a" *(e:rm -rf x:) "b"'],
    ['Bash(npm run *)', 'Bash', "npm run build *(.e'rm -rf x')"],
    ['Bash(npm run *)', 'Bash', 'npm run build *(+evil)'],
    ['Bash(npm run *)', 'Bash', "npm run build \\'x(e:rm -rf x:)\\'"],
    ...[
      'git -c core.sshCommand=evil fetch',
      'git  -c core.pager=evil log',
      'git "-c" core.pager=evil log',
      'git \\-c core.pager=evil log',
      'git {-c,core.pager=evil} log',
      "git $'-c' core.pager=evil log",
      "git $'\\x2dc' core.pager=evil log",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell expands it.
      'git ${IFS}-c${IFS}core.pager=evil log',
      'git $EMPTY-c core.pager=evil log',
      'git [-]c core.pager=evil log',
      'git --config-env=core.pager=EVIL log',
      'git --exec-path=/tmp/evil log',
      'git -p log',
      'git --no-pager -c core.sshCommand=evil fetch',
      'git -C . -c core.sshCommand=evil fetch',
      'git -C "a b" -c core.sshCommand=evil fetch',
      'git --git-dir=/tmp/evil status',
    ].flatMap(call =>
      ['git:*', 'git *'].map(pattern => [`Bash(${pattern})`, 'Bash', call] as const),
    ),
  ]
  it.each(ESCAPES)(
    '[TD-9] [BY-9] permits: %s does not allow %s %s',
    async (pattern, tool, argument) => {
      const session = await start(
        {},
        { 'a/SKILL.md': skill('a', 'Does a', 'x', `allowed-tools: ['${pattern}']\n`) },
      )
      await session.load('a')
      expect(session.permits(tool, argument)).toBe(false)
    },
  )

  it('[TD-9] permits files, and options of subcommands, that only look like an escape', async () => {
    const list = 'allowed-tools: [Write(out/*), Bash(git:*), Bash(npm run *)]\n'
    const session = await start({}, { 'a/SKILL.md': skill('a', 'Does a', 'x', list) })
    await session.load('a')
    for (const path of ['out/a..b/...txt', 'out/..a', 'out/report (1).md'])
      expect([path, session.permits('Write', path)]).toEqual([path, true])
    for (const command of [
      'git diff main..HEAD',
      'git commit -m "fix(ci): run"',
      "git log --format='%(trailers)'",
      'git log -c',
      'git commit -m fix -c HEAD',
      'git -C ../other --no-pager log',
      'git --version',
      'npm run build -- ../other',
    ])
      expect([command, session.permits('Bash', command)]).toEqual([command, true])
  })

  it('[TD-9] limits returns the largest limits of the open skills', async () => {
    const session = await start()
    expect(session.limits()).toEqual({})
    await session.load('deck')
    expect(session.limits()).toEqual({ maxIterations: 40, timeout: 60 })
    await session.load('tea')
    expect(session.limits()).toEqual({ maxIterations: 40, timeout: 900 })
  })
})

describe('permissions', () => {
  it('`allow` is called for each skill and file, with the requester', async () => {
    const asked: unknown[] = []
    const session = await start({
      allow: ({ kind, skill: { id, origin }, path, by }) => {
        asked.push([kind, id, origin, path, by])
        return path !== 'logo.png' && id !== 'mine/tea'
      },
    })
    await session.load('pdf')
    await callTool(session, 'read_skill_file', { skill: 'pdf', path: 'forms.md' })
    expect(asked).toEqual([
      ['skill', 'mine/pdf', 'mine', undefined, 'host'],
      ['file', 'mine/pdf', 'mine', 'forms.md', 'model'],
    ])
    await expect(session.read('pdf', 'logo.png')).rejects.toMatchObject({ code: 'not-allowed' })
    await expect(session.loadReference('pdf', 'logo.png')).rejects.toMatchObject({
      code: 'not-allowed',
    })
    const refused = { isError: true, text: expect.stringContaining('tea was not allowed') }
    expect(await callTool(session, 'load_skill', { skill: 'tea' })).toMatchObject(refused)
    expect(session.open.map(one => one.skill.name)).toEqual(['pdf'])
  })

  it('[BY-27] `allow` is called again for a skill that changed since it was trusted', async () => {
    const source = memory({
      'pdf/SKILL.md': skill('pdf', 'One', 'x'),
      'tea/SKILL.md': skill('tea', 'Two', 'x'),
    })
    await using library = await openLibrary(source)
    const trust = Object.fromEntries(library.snapshot.skills.map(({ id, digest }) => [id, digest]))
    const asked: unknown[] = []
    const options: SessionOptions = {
      trust,
      allow: ({ skill: { name }, trustedDigest }) => {
        asked.push([name, trustedDigest])
        return false
      },
    }
    await createSession(library, options).load('pdf')
    expect(asked).toEqual([])
    await source.write({ put: { 'pdf/SKILL.md': skill('pdf', 'One', 'do harm') } })
    await library.refresh()
    await expect(createSession(library, options).load('pdf')).rejects.toMatchObject({
      code: 'not-allowed',
    })
    expect(asked).toEqual([['pdf', trust['memory/pdf']]])
    await expect(createSession(library, { trust }).load('pdf')).rejects.toMatchObject({
      code: 'not-allowed',
    })
    expect((await createSession(library, { trust }).load('tea')).status).toBe('loaded')
  })

  it('a model cannot open skills for people, nor people skills for models', async () => {
    const session = await start()
    expect(session.offered.map(({ name }) => name)).not.toContain('own')
    expect((await callTool(session, 'search_skills', { query: 'for people' })).text).not.toContain(
      '<name>own',
    )
    expect((await callTool(session, 'load_skill', { skill: 'own' })).isError).toBe(true)
    expect(
      (await callTool(session, 'read_skill_file', { skill: 'own', path: 'SKILL.md' })).isError,
    ).toBe(true)
    expect((await session.load('own', { by: 'user' })).status).toBe('loaded')
    expect(
      (await callTool(session, 'read_skill_file', { skill: 'own', path: 'SKILL.md' })).isError,
    ).toBe(false)
    await expect(session.load('inner', { by: 'user' })).rejects.toMatchObject({
      code: 'not-allowed',
    })
    expect((await session.load('inner', { by: 'model' })).status).toBe('loaded')
  })

  it('[BY-9] a nested skill cannot be read through the outer skill', async () => {
    await using library = await open({
      'outer/SKILL.md': skill('outer', 'Outside', 'Do.'),
      'outer/own/SKILL.md': skill(
        'secret',
        'For people',
        'SECRET',
        'disable-model-invocation: true\n',
      ),
      'outer/own/key.txt': 'KEY',
      'outer/notes.md': 'NOTES',
    })
    const asked: unknown[] = []
    const session = createSession(library, {
      allow: ({ skill: { name }, path }) => asked.push([name, path]) > 0,
    })
    const read = (path: string) => callTool(session, 'read_skill_file', { skill: 'outer', path })
    for (const path of ['own/SKILL.md', 'own/key.txt']) {
      const { text, isError } = await read(path)
      expect([isError, text]).toEqual([
        true,
        expect.stringContaining('of secret can only be opened by people'),
      ])
    }
    expect((await read('notes.md')).text).toContain('NOTES')
    asked.length = 0
    await session.load('secret', { by: 'user' })
    expect((await read('own/key.txt')).text).toContain('KEY')
    expect(asked).toEqual([
      ['secret', undefined],
      ['outer', 'own/key.txt'],
      ['secret', 'key.txt'],
    ])
  })

  it('[BY-9] `trust` ignores inherited properties', async () => {
    await using library = await openLibrary(
      memory({ 'SKILL.md': skill('tea', 'Brews', 'x') }, { name: 'constructor' }),
    )
    expect((await createSession(library, { trust: {} }).load('constructor')).status).toBe('loaded')
  })

  it('[BY-7] skills for people take neither the places nor the names of offered skills', async () => {
    const forPeople = 'disable-model-invocation: true\n'
    const invoice = (at: number) => skill(`invoice-${at}`, 'Checks an invoice', 'x', forPeople)
    await using library = await open({
      ...Object.fromEntries([0, 1, 2, 3, 4, 5].map(at => [`i${at}/SKILL.md`, invoice(at)])),
      'bill/SKILL.md': skill(
        'billing',
        'Checks an invoice, and says what is to be paid for the whole year',
        'x',
      ),
      'a/SKILL.md': skill('report', 'Writes a report', 'x'),
      'b/SKILL.md': skill('Report', 'Writes for people', 'x', forPeople),
    })
    const session = createSession(library)
    const found = await callTool(session, 'search_skills', { query: 'check an invoice', limit: 1 })
    expect(found.text).toContain('<name>billing</name>')
    const turn = await session.prepare({ message: 'check an invoice' }, { threshold: 0, limit: 1 })
    expect(turn.matches.map(({ name }) => name)).toEqual(['billing'])
    expect(turn.system).toContain('<name>mine/a</name>')
    const named = await session.prepare({ message: 'write a report' }, { threshold: 0 })
    expect(named.tail).toContain('<name>mine/a</name>')
    expect((await callTool(session, 'load_skill', { skill: 'mine/a' })).isError).toBe(false)
  })
})

describe('restoreSession and rehydrate', () => {
  it('[BY-8] restores a session from JSON with the current skills', async () => {
    const source = memory(FILES, { name: 'mine' })
    await using library = await openLibrary(source)
    const session = createSession(library, { countTokens })
    for (const name of ['pdf', 'deck', 'tea']) await session.load(name)
    await session.loadReference('pdf', 'forms.md')
    const kept = JSON.parse(JSON.stringify(session))
    expect(JSON.stringify(kept)).not.toContain('w w')
    await source.write({
      remove: ['tea/SKILL.md'],
      put: { 'deck/SKILL.md': skill('deck', 'Slides', 'Anew.') },
    })
    await library.refresh()
    const { session: again, lost } = await restoreSession(library, kept, { countTokens })
    const opened = again.open.map(one => [
      one.skill.name,
      one.tokens,
      ...one.references.map(({ path }) => path),
    ])
    expect(opened).toEqual([
      ['pdf', 400, 'forms.md'],
      ['deck', 1],
    ])
    expect(lost).toEqual([{ id: 'mine/tea', reason: expect.stringContaining('mine/tea') }])
    for (const bad of [undefined, {}, { format: 'skillshelf-session/2', open: [] }])
      await expect(restoreSession(library, bad as never)).rejects.toMatchObject({ code: 'format' })
  })

  it('[BY-8] opening a skill that is still in the conversation returns one line', async () => {
    const session = await start()
    const first = await callTool(session, 'load_skill', { skill: 'pdf' })
    session.observe([messageOf('tool', first.text)])
    const second = await callTool(session, 'load_skill', { skill: 'mine/pdf' })
    expect(second.text).toBe(
      '<skill_open name="pdf">It is already open: its instructions are above.</skill_open>',
    )
    session.observe([messageOf('tool', first.text), messageOf('tool', second.text)])
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toBe(second.text)
  })

  it('[BY-8] rehydrate returns instructions that the conversation lost', async () => {
    const session = await start({ countTokens })
    const opened: string[] = []
    for (const name of ['pdf', 'deck'])
      opened.push((await callTool(session, 'load_skill', { skill: name })).text)
    const [pdf, deck] = opened as [string, string]
    expect(session.rehydrate([messageOf('tool', pdf), messageOf('tool', deck)])).toEqual({
      missing: [],
      text: '',
    })
    const summary = messageOf('system', 'We read a table from a PDF.')
    expect(session.rehydrate([summary, messageOf('tool', deck)])).toEqual({
      missing: ['mine/pdf'],
      text: pdf,
    })
    // The session assumes that the host adds the text to the conversation.
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain('<skill_open')
    expect(session.rehydrate([summary, messageOf('tool', pdf.slice(0, -8))]).missing).toEqual([
      'mine/pdf',
      'mine/deck',
    ])
  })

  it('[BY-8] rehydrate returns reminders where instructions do not fit, the last opened skill first', async () => {
    const session = await start({ ...bare, contextTokens: 1_000 })
    const texts: string[] = []
    for (const name of ['deck', 'tea'])
      texts.push((await callTool(session, 'load_skill', { skill: name })).text)
    session.observe(texts.map(text => messageOf('tool', text)))
    const room = 1_000 * 0.9 - session.ledger().total
    const { missing, text } = session.rehydrate([messageOf('user', words(room + 150))])
    expect(missing).toEqual(['mine/deck', 'mine/tea'])
    expect(text.split('\n')[0]).toBe(REMINDER)
    expect(text.slice(text.indexOf('\n') + 1)).toBe(texts[1])
  })

  it('[BY-8] load_skill returns instructions in full after a reminder', async () => {
    const session = await start({ ...bare, contextTokens: 1_000 })
    const { text } = await callTool(session, 'load_skill', { skill: 'deck' })
    session.observe([messageOf('tool', text)])
    expect(session.rehydrate([messageOf('user', words(700))]).text).toMatch(
      /^<skill_open name="deck">/,
    )
    // A failed attempt does not change that.
    for (let attempt = 0; attempt < 2; attempt++) {
      const { text } = await callTool(session, 'load_skill', { skill: 'deck' })
      expect(text).toContain('deck does not fit into the context')
    }
    session.unload('tea')
    expect(session.open.map(one => one.skill.name)).toEqual(['deck'])
  })

  it('[BY-8] a truncated result counts as lost, even if another one follows it', async () => {
    const session = await start()
    const texts: string[] = []
    for (const name of ['pdf', 'deck'])
      texts.push((await callTool(session, 'load_skill', { skill: name })).text)
    session.observe(texts.map(text => messageOf('tool', text)))
    const [pdf = '', deck = ''] = texts
    const cut = `${pdf.slice(0, 400)}\n[cut]`
    expect(session.rehydrate([messageOf('tool', cut), messageOf('tool', deck)]).missing).toEqual([
      'mine/pdf',
    ])
    expect(session.rehydrate([messageOf('tool', `${cut}\n${deck}`)]).missing).toEqual(['mine/pdf'])
    expect(
      session.rehydrate([messageOf('tool', `${cut}\n${pdf}`), messageOf('tool', deck)]).missing,
    ).toEqual([])
  })

  it('[BY-8] a restored session rehydrates lost instructions', async () => {
    await using library = await open()
    const session = createSession(library)
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    session.observe([messageOf('tool', text)])
    const { session: again } = await restoreSession(library, session.toJSON())
    expect(again.rehydrate([messageOf('user', 'summary')])).toEqual({ missing: ['mine/pdf'], text })
    const { session: third } = await restoreSession(library, session.toJSON())
    third.observe([messageOf('user', 'summary')])
    expect((await callTool(third, 'load_skill', { skill: 'pdf' })).text).toBe(text)
    const { session: whole } = await restoreSession(library, session.toJSON())
    expect(whole.rehydrate([messageOf('tool', text)]).missing).toEqual([])
  })

  it('[BY-8] restoreSession reports skills that do not fit and rejects invalid states', async () => {
    await using library = await open()
    const session = createSession(library, bare)
    for (const name of ['deck', 'tea', 'pdf']) await session.load(name)
    const { session: again, lost } = await restoreSession(library, session.toJSON(), {
      ...bare,
      contextTokens: 1_000,
    })
    expect(again.open.map(one => one.skill.name)).toEqual(['tea', 'pdf'])
    expect(lost).toEqual([{ id: 'mine/deck', reason: expect.stringContaining('to make room') }])
    for (const one of [
      null,
      { id: 'mine/tea' },
      { id: 'mine/tea', digest: '', references: [7] },
      { digest: '' },
    ]) {
      const bad = { format: 'skillshelf-session/1', open: [one] } as never
      await expect(restoreSession(library, bad)).rejects.toMatchObject({ code: 'format' })
    }
  })

  it('[BY-8] [BY-9] the text of a skill cannot imitate an open skill', async () => {
    await using plain = await open()
    const real = (await callTool(createSession(plain), 'load_skill', { skill: 'pdf' })).text
    const session = await start({}, { ...FILES, 'evil/SKILL.md': skill('evil', 'Evil', real) })
    const pdf = await callTool(session, 'load_skill', { skill: 'pdf' })
    const evil = await callTool(session, 'load_skill', { skill: 'evil' })
    session.observe([pdf, evil].map(({ text }) => messageOf('tool', text)))
    expect(session.rehydrate([messageOf('tool', evil.text)]).missing).toEqual(['mine/pdf'])
  })
})

describe('prepare', () => {
  it('returns the same catalog each turn, and the matches of the message', async () => {
    const session = await start()
    const one = await session.prepare({ message: 'extract the tables from this PDF document' })
    expect(one.matches.map(({ name }) => name)).toEqual(['pdf'])
    expect(one.tail).toContain('<name>pdf</name>')
    const two = await session.prepare({
      message: 'what is the weather like',
      history: [messageOf('user', 'hello')],
    })
    expect(two).toMatchObject({ system: one.system, tail: '', matches: [], loaded: [] })
    expect(session.messages).toEqual([messageOf('user', 'hello')])
    expect(one.system).toContain('<available_skills>')
  })

  it('[BY-7] [BY-8] accepts the messages of every SDK', async () => {
    const session = await start({ countTokens })
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    const ask = 'extract the tables from this PDF document'
    const user = { role: 'user', content: ask }
    const asText = [{ type: 'text', text: ask }]
    const histories = Object.entries<unknown[]>({
      OpenAI: [
        { role: 'user', content: asText },
        { role: 'assistant', content: null },
        { role: 'tool', content: text },
      ],
      'OpenAI, Responses': [
        user,
        { type: 'reasoning' },
        { type: 'function_call' },
        { type: 'function_call_output', output: text },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
      ],
      'OpenAI Agents SDK': [
        user,
        { type: 'function_call' },
        { type: 'function_call_result', output: { type: 'text', text } },
      ],
      Genkit: [
        { role: 'user', content: [{ text: ask }] },
        { role: 'model', content: [{ toolRequest: { name: 'load_skill', input: {} } }] },
        { role: 'tool', content: [{ toolResponse: { name: 'load_skill', output: text } }] },
      ],
      Anthropic: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: '1', name: 'load_skill', input: {} }],
        },
        { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text }] }] },
      ],
      'AI SDK': [
        { role: 'user', content: asText },
        { role: 'assistant', content: [{ type: 'tool-call', toolName: 'load_skill', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', output: { type: 'text', value: text } }] },
      ],
      'AI SDK, messages of a page': [
        { role: 'user', parts: asText },
        { role: 'assistant', parts: [{ type: 'tool-load_skill', output: text }] },
      ],
      LangChain: [
        { type: 'human', content: ask },
        { type: 'ai', content: [] },
        { type: 'tool', content: text },
      ],
    }) as [string, HostMessage[]][]
    for (const [sdk, history] of histories) {
      const turn = await session.prepare({ message: 'yes, do that', history })
      expect([sdk, turn.matches.map(({ name }) => name)]).toEqual([sdk, ['pdf']])
      expect([sdk, session.rehydrate(history).missing]).toEqual([sdk, []])
      expect(session.messages[0]).toEqual(messageOf('user', ask))
      expect([sdk, session.ledger().instructions.tokens]).toEqual([sdk, 400])
      expect([sdk, session.ledger().total < 700]).toEqual([sdk, true])
      expect([sdk, session.rehydrate(history.slice(0, 2)).missing.length]).toEqual([
        sdk,
        1 - Number(/page/.test(sdk)),
      ])
    }
    for (const [sdk, history] of histories.filter(([name]) =>
      /Agents|Genkit|Anthropic/.test(name),
    )) {
      session.observe(history)
      expect([sdk, ...session.messages.map(({ role }) => role)]).toEqual([
        sdk,
        'user',
        'assistant',
        'tool',
      ])
    }
    const json = [
      { role: 'tool', content: [{ output: { type: 'json', value: { rows: [1, 2] } } }] },
    ]
    session.observe(json)
    expect(session.messages).toEqual([messageOf('tool', '{"rows":[1,2]}')])
    const own = [messageOf('user', 'hello')]
    session.observe(own)
    expect(session.messages[0]).toBe(own[0])
  })

  it('rejects invalid messages and keeps the previous ones', async () => {
    const session = await start()
    session.observe([messageOf('user', 'hello')])
    for (const bad of ['hello', [null], ['hello'], { role: 'user' }] as never[]) {
      expect(() => session.observe(bad)).toThrow(
        /"messages" must be an array of messages \(pass \[\{ role, content \}/,
      )
      const message = expect.stringContaining('"history" must be an array of messages')
      const preparing = session.prepare({ message: 'x', history: bad })
      await expect(preparing).rejects.toMatchObject({ code: 'invalid-input', message })
    }
    expect(session.messages).toEqual([messageOf('user', 'hello')])
    await expect(session.prepare({} as never)).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(session.prepare(undefined as never)).rejects.toMatchObject({
      code: 'invalid-input',
    })
    expect(
      (await session.prepare('extract the tables from this PDF document')).matches,
    ).toHaveLength(1)
  })

  it('matches the previous message for a short reply such as "yes, do that"', async () => {
    const session = await start()
    const history = [
      messageOf('user', 'can you extract the tables from this PDF document?'),
      messageOf('assistant', 'I can do that. Shall I?'),
    ]
    for (const message of ['yes, do that', '好的，就这样做'])
      expect((await session.prepare({ message, history })).matches.map(({ name }) => name)).toEqual(
        ['pdf'],
      )
    const other = 'yes but first tell me another story about the king of a country far away'
    expect((await session.prepare({ message: other, history })).matches).toEqual([])
    expect((await session.prepare({ message: 'yes, do that', history: [] })).matches).toEqual([])
  })

  it('`auto` opens the first match if it is allowed, and no possible skill', async () => {
    await using library = await open()
    const message = 'extract the tables from this PDF document'
    const session = createSession(library, { auto: true })
    const turn = await session.prepare({ message })
    expect(turn.loaded).toEqual(['mine/pdf'])
    expect(turn.tail).toContain('<skill_content name="pdf"')
    expect(await session.prepare({ message })).toMatchObject({ loaded: [] })
    const possible = await createSession(library, { auto: true }).prepare(
      { message },
      { threshold: 1 },
    )
    expect(possible).toMatchObject({ loaded: [], maybe: [{ name: 'pdf' }] })
    expect((await createSession(library).prepare({ message })).loaded).toEqual([])
    const refused = await createSession(library, { auto: true, allow: () => false }).prepare({
      message,
    })
    expect(refused).toMatchObject({ loaded: [], matches: [{ name: 'pdf' }] })
  })

  it('returns matches that cannot be opened, and matches both ends of a long message', async () => {
    const source = memory(FILES, { name: 'mine' })
    await using library = await openLibrary(source)
    await source.write({ remove: ['pdf/SKILL.md'] })
    const message = 'extract the tables from this PDF document'
    const turn = await createSession(library, { auto: true }).prepare({ message })
    expect(turn).toMatchObject({ loaded: [], matches: [{ name: 'pdf' }] })
    const asked: string[] = []
    const narrow: SkillLibrary = Object.assign(Object.create(library) as SkillLibrary, {
      match: (query: MatchQuery, options: MatchOptions) => {
        asked.push(query.message)
        return library.match(query, options)
      },
    })
    const long = `${message}\n${'x '.repeat(9_000)}\nthank you`
    await createSession(narrow).prepare({ message: 'yes', history: [messageOf('user', long)] })
    await createSession(narrow).prepare({ message: long })
    expect(asked.map(text => text.length)).toEqual([3, 10_000, 10_000])
    expect(asked[2]).toMatch(/^extract .*thank you$/s)
  })
})

describe('catalog', () => {
  const many: Record<string, string> = {}
  for (let at = 0; at < 50; at++)
    many[`s${at}/SKILL.md`] = skill(`s${at}`, `Number ${at} ${words(40, 'describes')}.`, 'Do.')

  it('shortens the descriptions of all skills to what fits, then drops descriptions, then skills, and says so', async () => {
    await using library = await open(many)
    const catalog = (catalogTokens: number): string => {
      const session = createSession(library, { countTokens, catalogTokens })
      return session.dialect.catalog(session)
    }
    const full = catalog(100_000)
    expect(full).not.toContain('shortened')
    const cost = countTokens(full)
    expect(catalog(cost)).toBe(full)
    for (const share of [0.99, 0.7, 0.4, 0.15]) {
      const text = catalog(cost * share)
      expect(text).toContain('Descriptions are shortened.')
      expect([share, new Set(text.match(/Number \d+ describes/g)).size]).toEqual([share, 50])
      expect(countTokens(text)).toBeLessThanOrEqual(cost * share)
      expect(countTokens(text)).toBeGreaterThan(cost * share - 100)
    }
    const names = catalog(100)
    expect(names).toContain('Descriptions are left out: search_skills gives them.')
    expect(names).not.toContain('describes')
    expect(names.match(/<name>/g)).toHaveLength(50)
    const some = catalog(countTokens(names) - 1)
    const [, amount] = /These are (\d+) of 50/.exec(some) ?? []
    expect(some.match(/<name>/g)).toHaveLength(Number(amount))
    expect(countTokens(some)).toBeLessThan(countTokens(names))
    expect(catalog(0)).toContain('These are 0 of 50')
  })

  it('describes each of 46 skills, and of 90, by default', async () => {
    const first = 'Extracts tables from PDF documents, fills forms and merges files'
    for (const [amount, shown] of [
      [46, first],
      [90, 'Extracts tables from PDF'],
    ] as const) {
      const files: Record<string, string> = {}
      for (let at = 0; at < amount; at++)
        files[`s${at}/SKILL.md`] = skill(
          `skill-${at}`,
          `${first}. Use it for invoices and reports.`,
          'Do.',
        )
      await using library = await open(files)
      const { system } = await createSession(library).prepare('hello')
      expect(system.split(shown)).toHaveLength(amount + 1)
      expect(estimateTokens(system)).toBeLessThanOrEqual(2_000)
    }
  })

  it('the ledger has the budget of the catalog that holds', async () => {
    await using library = await open(many)
    const budget = (options?: SessionOptions) =>
      createSession(library, options).ledger().metadata.budget
    expect(budget()).toBe(2_000)
    expect(budget({ budgets: { metadata: 10 } })).toBe(500)
    expect(budget({ catalogTokens: 8_000 })).toBe(8_000)
    expect(budget({ catalogTokens: 300, budgets: { metadata: 10 } })).toBe(300)
  })

  it('drops open skills last, and is the same for the same session', async () => {
    const session = await start({ countTokens, catalogTokens: 80 }, many)
    const before = session.dialect.catalog(session)
    expect(before).not.toContain('<name>s49</name>')
    await session.load('s49')
    expect(session.dialect.catalog(session)).toContain('<name>s49</name>')
    session.unload('s49')
    expect(session.dialect.catalog(session)).toBe(before)
  })
})

describe('tools', () => {
  it('callTool corrects wrong tool and skill names', async () => {
    const session = await start()
    expect(await callTool(session, 'pdf', {})).toEqual({
      isError: true,
      text: 'pdf is a skill, not a tool: call load_skill to open it. The tools are search_skills, load_skill, read_skill_file, unload_skill.',
    })
    expect((await callTool(session, 'run_skill', {})).text).toMatch(
      /^There is no tool "run_skill"\. The tools are /,
    )
    expect((await callTool(session, undefined as never, {})).text).toMatch(
      /^There is no tool "undefined"\. /,
    )
    const none = createSession(
      await openLibrary(memory({}, { name: 'none' }), { onDiagnostic: () => {} }),
    )
    const { text } = await callTool(none, 'run_skill', {})
    expect(text).toBe('There is no tool "run_skill". There are no tools: no skill is offered.')
    const pdf = skill('pdf', 'Reads PDF files', 'Do.', 'disable-model-invocation: true\n')
    const hidden = await start({}, { 'pdf/SKILL.md': pdf })
    expect((await callTool(hidden, 'pdf', {})).text).toMatch(
      /^pdf is a skill, not a tool\. There are no tools/,
    )
    expect((await callTool(session, 'load_skill', { skill: 'pdfs' })).text).toContain(
      'similar names: pdf',
    )
    expect((await callTool(session, 'load_skill', { skill: 7 })).text).toContain('skill: ')
    expect((await callTool(session, 'unload_skill', { skill: 'tea' })).text).toContain(
      'no skill is',
    )
    await session.load('pdf')
    expect((await callTool(session, 'unload_skill', { skill: 'tea' })).text).toContain(
      'open skills: pdf',
    )
    expect((await callTool(session, 'unload_skill', { skill: 'pdf' })).text).toContain(
      'no longer apply',
    )
  })

  it('read_skill_file returns a long file in parts, with the headings of the rest', async () => {
    const guide = `# One\n${'a'.repeat(45_000)}\n\`\`\`\n# no heading\n\`\`\`\n## Two\n${'b'.repeat(100)}`
    const session = await start({}, { ...FILES, 'pdf/guide.md': guide })
    const read = async (more: object): Promise<string> =>
      (await callTool(session, 'read_skill_file', { skill: 'pdf', path: 'guide.md', ...more })).text
    const first = await read({})
    expect(first).toContain('offset 40000]')
    expect(first).toContain('[Headings in the rest, with their offsets]\n')
    const [, at] = /\n(\d+) ## Two\n/.exec(first) ?? []
    expect(guide.slice(Number(at))).toMatch(/^## Two/)
    expect(first).not.toContain('# no heading')
    const short = await read({ offset: Number(at), length: 6 })
    expect(short).toContain('\n## Two\n[')
    expect(await read({ offset: 99_999 })).toContain('guide.md has ')
    const nothing = await callTool(session, 'read_skill_file', {
      skill: 'pdf',
      path: 'guide.md',
      length: 0,
    })
    expect(nothing.isError).toBe(true)
  })

  it('read_skill_file returns at least one character and never splits one', async () => {
    const session = await start({}, { ...FILES, 'pdf/e.txt': '😀😀 hello' })
    const read = async (more: object): Promise<string> =>
      (await callTool(session, 'read_skill_file', { skill: 'pdf', path: 'e.txt', ...more })).text
    expect(await read({ offset: 0, length: 1 })).toMatch(
      />\n😀\n\[8 more characters: .* and offset 2\]/,
    )
    expect(await read({ offset: 1, length: 2 })).toMatch(/>\n😀\n\[8 more/)
    expect(await read({ offset: 1, length: 3 })).toMatch(/>\n😀\n\[8 more/)
    expect(await read({ offset: 3 })).toMatch(/>\n😀 hello\n</)
  })

  it('load_skill returns long instructions with offsets into the SKILL.md', async () => {
    const body = `Begin.\n${'a'.repeat(45_000)}\n## Two\n${'b'.repeat(100)}`
    const session = await start(
      { budgets: { skill: 100_000 } },
      { 'long/SKILL.md': skill('guide', 'Guides', body) },
    )
    const { text } = await callTool(session, 'load_skill', { skill: 'guide' })
    const [, rest] = /and offset (\d+)\]/.exec(text) ?? []
    const [, heading] = /\n(\d+) ## Two\n/.exec(text) ?? []
    const read = async (offset: unknown): Promise<string> =>
      (
        await callTool(session, 'read_skill_file', {
          skill: 'guide',
          path: 'SKILL.md',
          offset: Number(offset),
        })
      ).text
    expect(await read(heading)).toMatch(/>\n## Two\nbbb/)
    expect(/>\n(a+)\n## Two/.exec(await read(rest))?.[1]?.length).toBe(
      45_000 - (40_000 - 'Begin.\n'.length),
    )
  })
})
