import type { SkillLibrary } from '../library/types.js'
import { check, equal, rejects, type SuiteCase } from './assertions.js'

const skill = (fields: string, body: string): string => `---\n${fields}\n---\n\n${body}\n`

const LAYOUT = 'import json\n\n\ndef grid(columns):\n    return [1 / columns] * columns\n'
const LOGO = Uint8Array.from({ length: 256 }, (_, index) => 255 - index)

/** Skills as people write them: names that clash, nested ones, one that is disabled, two languages, bytes that are no text. */
const FILES: Readonly<Record<string, Uint8Array | string>> = {
  'slides/SKILL.md': skill(
    'name: slides\ndisplay_name: Slide Maker\ndescription: Makes presentation slides and pitch decks.\ntags: [Office, design]\nversion: 1.2.0\nallowed-tools: Read Write',
    '# Slides\n\nSketch an outline, then lay out one idea per slide with scripts/layout.py.',
  ),
  'slides/scripts/layout.py': LAYOUT,
  'slides/references/style guide #1.md': '# Style\n\n一页一事。\n',
  'slides/assets/logo.bin': LOGO,
  'slides/assets/empty.txt': '',
  'work/sales-report/SKILL.md': skill(
    'name: sales-report\ndescription: Summarises sales figures of a quarter from spreadsheets.\ntags: [office, data]',
    'Read the spreadsheet, add up revenue by region, write three sentences.',
  ),
  'travel/book-flight/skill.md': skill(
    'name: book-flight\ndescription: 预订机票，查询航班和价格。\ntags: [travel]',
    '先问出发地、目的地和日期，再查询航班。',
  ),
  'team-a/notes/SKILL.md': skill(
    'name: notes\ndescription: Writes minutes of a meeting.',
    'List decisions and owners.',
  ),
  'team-b/notes/SKILL.md': skill(
    'name: notes\ndescription: Keeps a gardening diary.',
    'Note the weather and the beds.',
  ),
  'toolbox/SKILL.md': skill('name: toolbox\ndescription: Opens and repairs archives.', 'Look at the tools inside.'),
  'toolbox/readme.txt': 'outer',
  'toolbox/hammer/SKILL.md': skill('name: hammer\ndescription: Flattens nested folders.', 'Hit it.'),
  'toolbox/hammer/scripts/hit.sh': '#!/bin/sh\nexit 1\n',
  'retired/SKILL.md': skill('name: retired\ndescription: Sends faxes to ministries.\nenabled: false', 'Dial.'),
  'retired/secret.txt': 'hidden',
}
const PATHS = [
  'slides',
  'team-a/notes',
  'team-b/notes',
  'toolbox',
  'toolbox/hammer',
  'travel/book-flight',
  'work/sales-report',
]

/**
 * What every `SkillLibrary` must do, wherever its skills are: in this process, packed, behind HTTP. `open` puts files there and opens a
 * library of that one source.
 *
 *     import { it } from 'vitest'                                  // or: import { it } from 'node:test'
 *     import { librarySuite } from 'skillshelf/testing'
 *     for (const { name, run } of librarySuite(async files => openLibrary(await mySource(files)))) {
 *       it(name, run)
 *     }
 */
export function librarySuite(
  open: (files: Readonly<Record<string, Uint8Array | string>>) => Promise<SkillLibrary>,
): readonly SuiteCase[] {
  const test = (
    name: string,
    body: (library: SkillLibrary, id: (path: string) => string) => Promise<void>,
  ): SuiteCase => ({
    name,
    async run() {
      const library = await open(FILES)
      const origin = library.snapshot.skills[0]?.origin
      try {
        await body(library, path => `${origin}/${path}`)
      } finally {
        await library.close()
      }
    },
  })

  return [
    test('lists its skills, sorted by id', async (library, id) => {
      const skills = await library.list()
      equal(
        skills.map(skill => skill.id),
        PATHS.map(id),
        'the ids',
      )
      equal(
        skills.map(skill => skill.path),
        PATHS,
        'the folders',
      )
      equal(skills, library.snapshot.skills, 'list and snapshot')
      const { name, displayName, description, tags, digest, tokens } = skills[0] ?? {}
      equal(
        { name, displayName, description, tags },
        {
          name: 'slides',
          displayName: 'Slide Maker',
          description: 'Makes presentation slides and pitch decks.',
          tags: ['Office', 'design'],
        },
        'what is known of a skill before it is opened',
      )
      check(/^sha256:[0-9a-f]{64}$/.test(digest ?? ''), `the digest is ${digest}`)
      check(tokens && tokens.metadata > 0 && tokens.instructions > tokens.metadata, 'tokens of both levels')
    }),
    test('opens a skill by id, name and display name, in any case', async (library, id) => {
      for (const name of [id('slides'), 'slides', 'Slide Maker', 'SLIDES', 'slide maker', 'ｓｌｉｄｅｓ'])
        equal((await library.get(name)).id, id('slides'), name)
      equal((await library.get('book-flight')).file, 'skill.md', 'a lower-case skill.md')
    }),
    test('says what else there is when a name is wrong', async library => {
      const { details } = await rejects(() => library.get('sales-reports'), 'skill-not-found', 'get')
      equal(details.subject, 'sales-reports', 'the subject')
      equal(details.candidates?.[0], 'sales-report', 'the nearest name')
      await rejects(() => library.read('nothing', 'a.txt'), 'skill-not-found', 'read')
      await rejects(() => library.explain('slides', 'nothing'), 'skill-not-found', 'explain')
      for (const name of ['', '../slides', '__proto__', 'constructor'])
        await rejects(() => library.get(name), 'skill-not-found', JSON.stringify(name))
    }),
    test('lists the ids when a name is shared', async (library, id) => {
      for (const name of ['notes', 'Notes']) {
        const { details } = await rejects(() => library.get(name), 'ambiguous-name', name)
        equal(details.candidates, [id('team-a/notes'), id('team-b/notes')], 'the candidates')
      }
      equal((await library.get(id('team-b/notes'))).description, 'Keeps a gardening diary.', 'by id')
    }),
    test('gives instructions, text, metadata and files of a skill', async library => {
      const opened = await library.get('slides')
      equal(opened.text, FILES['slides/SKILL.md'], 'the whole file')
      check(opened.instructions.startsWith('# Slides\n'), 'the instructions start after the frontmatter')
      check(opened.instructions.endsWith('scripts/layout.py.'), 'the instructions are trimmed')
      check(opened.frontmatter.includes('allowed-tools: Read Write'), 'the frontmatter is as written')
      const { version, allowedTools, timeout, enabled } = opened.metadata
      equal({ version, allowedTools }, { version: '1.2.0', allowedTools: ['Read', 'Write'] }, 'the metadata')
      equal({ timeout, enabled }, {}, 'what is absent')
      equal(
        opened.files.map(({ path, kind, size }) => [path, kind, size]),
        [
          ['assets/empty.txt', 'text', 0],
          ['assets/logo.bin', 'binary', 256],
          ['references/style guide #1.md', 'text', 25],
          ['scripts/layout.py', 'script', LAYOUT.length],
        ],
        'the files',
      )
      check(opened.root !== '', 'a root')
      const [listed] = (await library.list()).filter(one => one.id === opened.id)
      for (const [key, value] of Object.entries(listed ?? {}))
        equal(opened[key as 'id'], value, `${key}, listed and opened`)
    }),
    test('reads text, bytes and empty files', async (library, id) => {
      const script = await library.read('slides', 'scripts/layout.py')
      equal(script.text, LAYOUT, 'the text of a script')
      equal([script.kind, script.mediaType, script.path], ['script', 'text/plain', 'scripts/layout.py'], 'a script')
      equal(script.skill, id('slides'), 'its skill')
      check(script.location.endsWith('slides/scripts/layout.py'), `its location is ${script.location}`)
      const logo = await library.read('slides', './assets//logo.bin')
      equal(logo.bytes, LOGO, 'bytes')
      equal([logo.text, logo.size, logo.range], [undefined, 256, undefined], 'bytes that are no text')
      equal((await library.read('slides', 'assets/empty.txt')).text, '', 'an empty file')
      equal(
        (await library.read('slides', 'references/style guide #1.md')).text,
        '# Style\n\n一页一事。\n',
        'an odd name',
      )
      equal((await library.read('slides', 'SKILL.md')).text, FILES['slides/SKILL.md'], 'the SKILL.md')
    }),
    test('reads parts of files', async library => {
      const part = async (offset: number, length?: number): Promise<unknown[]> => {
        const range = length === undefined ? { offset } : { offset, length }
        const { bytes, range: given, size } = await library.read('slides', 'assets/logo.bin', { range })
        return [bytes, given, size]
      }
      const cases: [offset: number, length: number | undefined, from: number, to: number][] = [
        [0, 16, 0, 16],
        [200, 56, 200, 256],
        [250, 100, 250, 256],
        [128, undefined, 128, 256],
        [300, 5, 256, 256],
        [7, 0, 7, 7],
      ]
      for (const [offset, length, from, to] of cases)
        equal(
          await part(offset, length),
          [LOGO.slice(from, to), { offset: from, length: to - from, total: 256 }, 256],
          `${length} bytes from ${offset}`,
        )
      for (const range of [{ offset: -1 }, { offset: 0.5 }, { offset: 0, length: -1 }])
        await rejects(
          () => library.read('slides', 'assets/logo.bin', { range }),
          'invalid-input',
          JSON.stringify(range),
        )
    }),
    test('refuses paths that leave the skill', async library => {
      for (const path of [
        '../toolbox/readme.txt',
        '/etc/passwd',
        'scripts/../../toolbox/readme.txt',
        '..%2ftoolbox%2freadme.txt',
        '%252e%252e/toolbox/readme.txt',
        '..\\toolbox\\readme.txt',
        'C:\\secret',
        'scripts/layout.py\0.md',
        '',
      ])
        await rejects(() => library.read('slides', path), 'invalid-path', JSON.stringify(path))
    }),
    test('names the files there are when one is missing', async library => {
      const { details } = await rejects(
        () => library.read('slides', 'layout.py'),
        'resource-not-found',
        'a wrong folder',
      )
      equal(details.candidates, ['scripts/layout.py'], 'the candidates')
      for (const path of ['scripts', 'scripts/Layout.py', 'readme.txt', 'skillshelf.json'])
        await rejects(() => library.read('slides', path), 'resource-not-found', path)
    }),
    test('gives a nested skill its own files, readable through the outer one too', async (library, id) => {
      equal(
        (await library.get('toolbox')).files.map(file => file.path),
        ['readme.txt'],
        'the outer files',
      )
      equal(
        (await library.get('hammer')).files.map(file => file.path),
        ['scripts/hit.sh'],
        'the inner files',
      )
      const inner = await library.read('hammer', 'scripts/hit.sh')
      const outer = await library.read('toolbox', 'hammer/scripts/hit.sh')
      equal([outer.text, outer.location], [inner.text, inner.location], 'the same file')
      equal([outer.skill, outer.path], [id('toolbox'), 'hammer/scripts/hit.sh'], 'named from the outer skill')
      equal((await library.read('toolbox', 'hammer/SKILL.md')).text, FILES['toolbox/hammer/SKILL.md'], 'its SKILL.md')
    }),
    test('hides a disabled skill everywhere', async (library, id) => {
      for (const name of ['retired', id('retired'), 'Retired']) {
        await rejects(() => library.get(name), 'skill-not-found', `get ${name}`)
        await rejects(() => library.read(name, 'secret.txt'), 'skill-not-found', `read ${name}`)
        await rejects(() => library.explain('fax', name), 'skill-not-found', `explain ${name}`)
      }
      const message = 'retired: sends faxes to ministries'
      const { matches } = await library.search(message, { limit: 50 })
      check(!matches.some(match => match.id === id('retired')), 'it is not found')
      equal(
        (await library.match(message, { threshold: 0 })).matches.filter(match => match.name === 'retired'),
        [],
        'match',
      )
      equal(
        library.snapshot.diagnostics.map(({ code, path }) => [code, path]),
        [['skill-disabled', id('retired')]],
        'it is reported',
      )
    }),
    test('finds the skill for a message, and agrees with itself', async (library, id) => {
      const message = 'make presentation slides for a pitch deck'
      const found = await library.search(message, { limit: 10 })
      equal(found.revision, library.snapshot.revision, 'the revision')
      equal(found.matches[0]?.id, id('slides'), 'the best')
      equal(found.matches[0]?.name, 'slides', 'its name')
      check(
        found.matches.every(({ score }, at, all) => at === 0 || score <= (all[at - 1]?.score ?? 0)),
        'best first',
      )
      for (const { score, confidence } of found.matches)
        check(
          score >= 0 && score <= 1 && confidence >= 0 && confidence <= 1,
          `score ${score}, confidence ${confidence}`,
        )
      const all = await library.match(message, { limit: 10, threshold: 0 })
      equal(all.matches, found.matches, 'match without a threshold, and search')
      const strict = await library.match(message)
      equal(strict.matches, found.matches.filter(({ score }) => score > 0.7).slice(0, 3), 'match')
      for (const [at, match] of found.matches.entries()) {
        const { rank, matched, ...explained } = await library.explain(message, match.id)
        equal(explained, match, `explain ${match.id}`)
        equal([rank, matched], [at + 1, strict.matches.some(one => one.id === match.id)], `the rank of ${match.id}`)
      }
      const { rank, matched, score } = await library.explain(message, id('toolbox/hammer'))
      check(!matched && score < 0.5 && rank !== 1, `a skill with no word in common: rank ${rank}, score ${score}`)
      equal(
        (await library.search({ message: '我想订一张机票', history: ['你好'] })).matches[0]?.name,
        'book-flight',
        '中文',
      )
      equal((await library.search('')).abstained, 'empty-message', 'an empty message')
      equal((await library.search(message, { limit: 1 })).matches.length, 1, 'the limit')
    }),
    test('filters by tag and origin', async (library, id) => {
      const [{ origin } = { origin: '' }] = library.snapshot.skills
      const office = [id('slides'), id('work/sales-report')]
      equal(
        (await library.list({ tags: ['OFFICE'] })).map(one => one.id),
        office,
        'list by tag',
      )
      equal((await library.list({ tags: ['data', 'travel'] })).length, 2, 'one tag is enough')
      equal((await library.list({ origins: [origin] })).length, PATHS.length, 'list by origin')
      equal(await library.list({ origins: ['elsewhere'] }), [], 'another origin')
      equal(await library.list({ tags: ['office'], origins: ['elsewhere'] }), [], 'both')
      const message = 'slides of sales figures, notes and folders'
      const found = await library.search(message, { limit: 50, tags: ['office'] })
      equal(found.matches.map(match => match.id).sort(), office, 'search by tag')
      equal((await library.match(message, { threshold: 0, origins: ['elsewhere'] })).matches, [], 'match by origin')
    }),
    test('gives out a snapshot that nobody can change', async library => {
      const { snapshot } = library
      const before = JSON.stringify(snapshot)
      const [first] = snapshot.skills
      check(first, 'a skill')
      for (const [object, key] of [
        [snapshot, 'revision'],
        [snapshot.skills, 0],
        [first, 'name'],
        [first.tags, 0],
        [first.tokens, 'metadata'],
        [snapshot.diagnostics[0], 'message'],
      ] as [object, string | number][])
        tryTo(() => Reflect.set(object, key, 'spoilt'))
      equal(JSON.stringify(library.snapshot), before, 'the snapshot')
      equal(await library.list(), JSON.parse(before).skills, 'the list')
    }),
    test('gives out skills and bytes that nobody can spoil for others', async library => {
      const mine = await library.get('slides')
      const before = JSON.stringify(mine)
      for (const [object, key] of [
        [mine, 'instructions'],
        [mine.metadata, 'name'],
        [mine.metadata.allowedTools ?? [], 0],
        [mine.files, 0],
        [mine.files[0] ?? {}, 'path'],
        [mine.tags, 0],
      ] as [object, string | number][])
        tryTo(() => Reflect.set(object, key, 'spoilt'))
      equal(JSON.stringify(await library.get('slides')), before, 'the skill')
      const file = await library.read('slides', 'assets/logo.bin')
      file.bytes.fill(0)
      equal((await library.read('slides', 'assets/logo.bin')).bytes, LOGO, 'the file')
    }),
    test('refreshes to nothing new where nothing changed', async library => {
      const { revision } = library.snapshot
      let told = 0
      library.on('change', () => told++)
      const opened = await library.get('slides')
      equal(await library.refresh(), { revision, added: [], changed: [], removed: [] }, 'the change')
      equal(library.snapshot.revision, revision, 'the revision')
      equal(told, 0, 'events')
      equal(await library.get('slides'), opened, 'a skill, opened again')
    }),
    test('refuses arguments that are none', async library => {
      const wrong: [string, () => Promise<unknown>][] = [
        ['get', () => library.get(7 as never)],
        ['limit', () => library.search('slides', { limit: 0 })],
        ['limit', () => library.search('slides', { limit: 1.5 })],
        ['threshold', () => library.match('slides', { threshold: 2 })],
        ['threshold', () => library.match('slides', { threshold: Number.NaN })],
        ['message', () => library.match(undefined as never)],
        ['message', () => library.search({} as never)],
        ['history', () => library.search({ message: 'slides', history: 'before' as never })],
        ['tags', () => library.list({ tags: 'office' as never })],
      ]
      for (const [what, call] of wrong) await rejects(call, 'invalid-input', what)
      await rejects(() => library.read('slides', undefined as never), ['invalid-path', 'invalid-input'], 'path')
    }),
    test('stops when it is aborted', async library => {
      const signal = AbortSignal.abort()
      const calls: [string, () => Promise<unknown>][] = [
        ['list', () => library.list({ signal })],
        ['get', () => library.get('slides', { signal })],
        ['read', () => library.read('slides', 'SKILL.md', { signal })],
        ['match', () => library.match('slides', { signal })],
        ['search', () => library.search('slides', { signal })],
        ['explain', () => library.explain('slides', 'slides', { signal })],
        ['refresh', () => library.refresh({ signal })],
      ]
      for (const [what, call] of calls) {
        const { name } = await rejects(call, 'aborted', what)
        equal(name, 'AbortError', `the name of the error of ${what}`)
      }
      equal((await library.get('slides')).name, 'slides', 'a call after an abort')
    }),
    test('fails with "closed" once it is closed', async library => {
      await library.close()
      await library.close()
      const calls: [string, () => Promise<unknown>][] = [
        ['list', () => library.list()],
        ['get', () => library.get('slides')],
        ['read', () => library.read('slides', 'SKILL.md')],
        ['match', () => library.match('slides')],
        ['search', () => library.search('slides')],
        ['explain', () => library.explain('slides', 'slides')],
        ['refresh', () => library.refresh()],
      ]
      for (const [what, call] of calls) await rejects(call, 'closed', what)
      await library[Symbol.asyncDispose]()
    }),
  ]
}

/** What cannot be changed may say so. */
function tryTo(change: () => unknown): void {
  try {
    change()
  } catch {
    // Refused: as good as ignored.
  }
}
