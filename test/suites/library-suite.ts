import { ASYNC_DISPOSE } from '../../src/core/async-dispose.js'
import type { SkillLibrary } from '../../src/library/api/skill-library.js'
import { check, equal, rejects, type SuiteCase } from '../../src/tools/testing/assertions.js'
import type { Files } from '../packed-files.js'

const skill = (fields: string, body: string): string => `---\n${fields}\n---\n\n${body}\n`

const LAYOUT = 'import json\n\n\ndef grid(columns):\n    return [1 / columns] * columns\n'
const LOGO = Uint8Array.from({ length: 256 }, (_, index) => 255 - index)

/** Skills with clashing names, a nested skill, a disabled one, two languages and binary files. */
const FILES: Files = {
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
    'name: notes\ndescription: Writes minutes of a meeting.\npaths: "meetings/**, *.{vtt,srt}"',
    'List decisions and owners.',
  ),
  'team-b/notes/SKILL.md': skill(
    'name: notes\ndescription: Keeps a gardening diary.\npaths: [garden/**]\npaths-required: true',
    'Note the weather and the beds.',
  ),
  'toolbox/SKILL.md': skill(
    'name: toolbox\ndescription: Opens and repairs archives.',
    'Look at the tools inside.',
  ),
  'toolbox/readme.txt': 'outer',
  'toolbox/hammer/SKILL.md': skill(
    'name: hammer\ndescription: Flattens nested folders.',
    'Hit it.',
  ),
  'toolbox/hammer/scripts/hit.sh': '#!/bin/sh\nexit 1\n',
  'mirrored/hammer/SKILL.md': skill(
    'name: hammer\ndescription: Flattens nested folders.',
    'Hit it.',
  ),
  'mirrored/hammer/scripts/hit.sh': '#!/bin/sh\nexit 1\n',
  'retired/SKILL.md': skill(
    'name: retired\ndescription: Sends faxes to ministries.\nenabled: false',
    'Dial.',
  ),
  'retired/secret.txt': 'hidden',
}
const PATHS =
  'slides team-a/notes team-b/notes toolbox toolbox/hammer travel/book-flight work/sales-report'.split(
    ' ',
  )
const idsOf = (skills: readonly { id: string }[]): string[] => skills.map(({ id }) => id)
const pathsOf = (files: readonly { path: string }[]): string[] => files.map(({ path }) => path)

/**
 * Conformance tests for an implementation of `SkillLibrary`.
 *
 * The cases cover listing, opening, reading, matching, filtering, refreshing, aborting and closing. They are plain data and work with
 * any test runner.
 *
 * @param open Stores the given files and opens a library over them as its only source. The keys are paths such as `slides/SKILL.md`.
 * Called once per case; the case closes the library.
 * @returns The cases.
 */
export function librarySuite(open: (files: Files) => Promise<SkillLibrary>): readonly SuiteCase[] {
  const test = (
    name: string,
    body: (library: SkillLibrary, id: (path: string) => string) => Promise<void>,
  ) => ({
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
    test('lists skills sorted by id', async (library, id) => {
      const skills = await library.list()
      equal(idsOf(skills), PATHS.map(id), 'the ids')
      equal(pathsOf(skills), PATHS, 'the folders')
      equal(skills, library.snapshot.skills, 'list and snapshot')
      const { name, displayName, description, tags, digest, tokens } = skills[0] ?? {}
      equal(
        [name, displayName, tags],
        ['slides', 'Slide Maker', ['Office', 'design']],
        'the summary of slides',
      )
      equal(description, 'Makes presentation slides and pitch decks.', 'its description')
      check(/^sha256:[0-9a-f]{64}$/.test(digest ?? ''), `the digest is ${digest}`)
      check(
        tokens && tokens.metadata > 0 && tokens.instructions > tokens.metadata,
        'tokens of both levels',
      )
    }),
    test('opens a skill by id, name or display name, ignoring case', async (library, id) => {
      for (const name of [
        id('slides'),
        'slides',
        'Slide Maker',
        'SLIDES',
        'slide maker',
        'ｓｌｉｄｅｓ',
      ])
        equal((await library.get(name)).id, id('slides'), name)
      equal((await library.get('book-flight')).file, 'skill.md', 'a lower-case skill.md')
    }),
    test('[BY-30] opens a skill by the id of a copy', async (library, id) => {
      const hammer = await library.get('hammer')
      equal(hammer.id, id('toolbox/hammer'), 'the id')
      equal(hammer.copies, ['mirrored/hammer'], 'the copies')
      equal((await library.get(id('mirrored/hammer'))).id, hammer.id, 'the id of the copy')
      const { skill: of } = await library.read(id('mirrored/hammer'), 'scripts/hit.sh')
      equal(of, hammer.id, 'the skill of a file')
      const { matches } = await library.search('flatten folders')
      equal(matches.filter(({ name }) => name === 'hammer').length, 1, 'the rows')
    }),
    test('suggests similar names for an unknown name', async library => {
      const { details } = await rejects(
        () => library.get('sales-reports'),
        'skill-not-found',
        'get',
      )
      equal(details.subject, 'sales-reports', 'the subject')
      equal(details.candidates?.[0], 'sales-report', 'the nearest name')
      await rejects(() => library.read('nothing', 'a.txt'), 'skill-not-found', 'read')
      await rejects(() => library.explain('slides', 'nothing'), 'skill-not-found', 'explain')
      for (const name of ['', '../slides', '__proto__', 'constructor'])
        await rejects(() => library.get(name), 'skill-not-found', JSON.stringify(name))
    }),
    test('lists candidate ids for an ambiguous name', async (library, id) => {
      for (const name of ['notes', 'Notes']) {
        const { details } = await rejects(() => library.get(name), 'ambiguous-name', name)
        equal(details.candidates, [id('team-a/notes'), id('team-b/notes')], 'the candidates')
      }
      equal(
        (await library.get(id('team-b/notes'))).description,
        'Keeps a gardening diary.',
        'by id',
      )
    }),
    test('returns the instructions, text, metadata and files of a skill', async library => {
      const opened = await library.get('slides')
      equal(opened.text, FILES['slides/SKILL.md'], 'the whole file')
      check(
        opened.instructions.startsWith('# Slides\n'),
        'the instructions start after the frontmatter',
      )
      check(opened.instructions.endsWith('scripts/layout.py.'), 'the instructions are trimmed')
      check(
        opened.frontmatter.includes('allowed-tools: Read Write'),
        'the frontmatter is unchanged',
      )
      const { version, allowedTools, timeout, enabled } = opened.metadata
      equal(
        { version, allowedTools },
        { version: '1.2.0', allowedTools: ['Read', 'Write'] },
        'the metadata',
      )
      equal({ timeout, enabled }, {}, 'absent metadata')
      const files = opened.files.map(({ path, kind, size }) => [path, kind, size])
      const expected = [
        ['assets/empty.txt', 'text', 0],
        ['assets/logo.bin', 'binary', 256],
        ['references/style guide #1.md', 'text', 25],
        ['scripts/layout.py', 'script', LAYOUT.length],
      ]
      equal(files, expected, 'the files')
      check(opened.root !== '', 'root is empty')
      const [listed] = (await library.list()).filter(one => one.id === opened.id)
      for (const [key, value] of Object.entries(listed ?? {}))
        equal(opened[key as 'id'], value, `${key}, listed and opened`)
    }),
    test('reads text, binary and empty files', async (library, id) => {
      const script = await library.read('slides', 'scripts/layout.py')
      equal(script.text, LAYOUT, 'the text of a script')
      equal(
        [script.kind, script.mediaType, script.path],
        ['script', 'text/plain', 'scripts/layout.py'],
        'a script',
      )
      equal(script.skill, id('slides'), 'its skill')
      check(
        script.location.endsWith('slides/scripts/layout.py'),
        `its location is ${script.location}`,
      )
      const logo = await library.read('slides', './assets//logo.bin')
      equal(logo.bytes, LOGO, 'bytes')
      equal([logo.text, logo.size, logo.range], [undefined, 256, undefined], 'a binary file')
      equal((await library.read('slides', 'assets/empty.txt')).text, '', 'an empty file')
      const guide = await library.read('slides', 'references/style guide #1.md')
      equal(guide.text, '# Style\n\n一页一事。\n', 'a name with a space and #')
      equal(
        (await library.read('slides', 'SKILL.md')).text,
        FILES['slides/SKILL.md'],
        'the SKILL.md',
      )
    }),
    test('reads ranges of files', async library => {
      const readRange = async (offset: number, length?: number): Promise<unknown[]> => {
        const range = length === undefined ? { offset } : { offset, length }
        const {
          bytes,
          range: actual,
          size,
        } = await library.read('slides', 'assets/logo.bin', { range })
        return [bytes, actual, size]
      }
      const cases: [offset: number, length: number | undefined, from: number, to: number][] = [
        [0, 16, 0, 16],
        [200, 56, 200, 256],
        [250, 100, 250, 256],
        [128, undefined, 128, 256],
        [300, 5, 256, 256],
        [7, 0, 7, 7],
      ]
      for (const [offset, length, from, to] of cases) {
        const expected = [
          LOGO.slice(from, to),
          { offset: from, length: to - from, total: 256 },
          256,
        ]
        equal(await readRange(offset, length), expected, `${length} bytes from ${offset}`)
      }
      for (const range of [{ offset: -1 }, { offset: 0.5 }, { offset: 0, length: -1 }]) {
        const read = () => library.read('slides', 'assets/logo.bin', { range })
        await rejects(read, 'invalid-input', JSON.stringify(range))
      }
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
    test('suggests similar paths for a missing file', async library => {
      const read = () => library.read('slides', 'layout.py')
      const { details } = await rejects(read, 'resource-not-found', 'a wrong folder')
      equal(details.candidates, ['scripts/layout.py'], 'the candidates')
      for (const path of ['scripts', 'scripts/Layout.py', 'readme.txt', 'skillshelf.json'])
        await rejects(() => library.read('slides', path), 'resource-not-found', path)
    }),
    test('assigns files to the innermost skill and reads them through the outer skill too', async (library, id) => {
      equal(pathsOf((await library.get('toolbox')).files), ['readme.txt'], 'the outer files')
      equal(pathsOf((await library.get('hammer')).files), ['scripts/hit.sh'], 'the inner files')
      const inner = await library.read('hammer', 'scripts/hit.sh')
      const outer = await library.read('toolbox', 'hammer/scripts/hit.sh')
      equal([outer.text, outer.location], [inner.text, inner.location], 'the same file')
      equal(
        [outer.skill, outer.path],
        [id('toolbox'), 'hammer/scripts/hit.sh'],
        'the path relative to the outer skill',
      )
      equal(
        (await library.read('toolbox', 'hammer/SKILL.md')).text,
        FILES['toolbox/hammer/SKILL.md'],
        'its SKILL.md',
      )
    }),
    test('hides disabled skills in every method', async (library, id) => {
      for (const name of ['retired', id('retired'), 'Retired']) {
        await rejects(() => library.get(name), 'skill-not-found', `get ${name}`)
        await rejects(() => library.read(name, 'secret.txt'), 'skill-not-found', `read ${name}`)
        await rejects(() => library.explain('fax', name), 'skill-not-found', `explain ${name}`)
      }
      const message = 'retired: sends faxes to ministries'
      const { matches } = await library.search(message, { limit: 50 })
      check(!matches.some(match => match.id === id('retired')), 'search returns a disabled skill')
      const all = await library.match(message, { threshold: 0 })
      check(
        !all.matches.some(match => match.id === id('retired')),
        'match returns a disabled skill',
      )
      const diagnostics = library.snapshot.diagnostics.map(({ code, path }) => [code, path])
      const copy = ['skill-copy', id('toolbox/hammer')]
      equal(diagnostics, [['skill-disabled', id('retired')], copy], 'the diagnostics')
    }),
    test('matches a message with consistent results in match, search and explain', async (library, id) => {
      const message = 'make presentation slides for a pitch deck'
      const found = await library.search(message, { limit: 10 })
      equal(found.revision, library.snapshot.revision, 'the revision')
      equal(found.complete, true, 'whether the result is complete')
      equal(found.matches[0]?.id, id('slides'), 'the best')
      equal(found.matches[0]?.name, 'slides', 'its name')
      check(
        found.matches.every(
          ({ score }, index, all) => index === 0 || score <= (all[index - 1]?.score ?? 0),
        ),
        'matches are not sorted by score',
      )
      for (const { score } of found.matches)
        check(score >= 0 && score <= found.served, `score ${score}, served ${found.served}`)
      const all = await library.match(message, { limit: 10, threshold: 0 })
      equal(all.matches, found.matches, 'match with the threshold 0, compared with search')
      const strict = await library.match(message)
      const isLikely = (found.matches[0]?.score ?? 0) > 0.7
      // Beside the first, match leaves out what scores less than a hundredth of the threshold.
      const likely = found.matches
        .slice(0, 3)
        .filter(({ score }, rank) => rank === 0 || score >= 0.007)
      equal(strict.matches, isLikely ? likely : [], 'match')
      for (const [index, match] of found.matches.entries()) {
        const { rank, matched, ...explained } = await library.explain(message, match.id)
        equal(explained, match, `explain ${match.id}`)
        equal([rank, matched], [index + 1, isLikely && index === 0], `the rank of ${match.id}`)
      }
      const { rank, matched, score } = await library.explain(message, id('toolbox/hammer'))
      check(
        !matched && score < 0.5 && rank !== 1,
        `a skill that shares no word: rank ${rank}, score ${score}`,
      )
      const chinese = await library.search({ message: '我想订一张机票', history: ['你好'] })
      equal(chinese.matches[0]?.name, 'book-flight', 'a Chinese message')
      equal((await library.search('')).abstained, 'empty-message', 'an empty message')
      equal((await library.search(message, { limit: 1 })).matches.length, 1, 'the limit')
      equal(
        (await library.search(message, { limit: 1, wait: false })).matches.length,
        1,
        'a match that does not wait',
      )
    }),
    test('ranks skills by what is pasted, which does not act', async (library, id) => {
      const message = 'office data design'
      const pasted = '> revenue by region\n> spreadsheets of the quarter'
      const first = async (query: string | { message: string; pasted: string }) =>
        (await library.search(query)).matches[0]
      equal((await first(message))?.id, id('slides'), 'the message')
      const found = await first(`${message}\n${pasted}`)
      equal(found?.id, id('work/sales-report'), 'the message and what is pasted')
      equal(await first({ message, pasted }), found, 'what the caller knows to be pasted')
      const { score } = await library.explain({ message, pasted }, found?.id ?? '')
      equal(score, found?.score, 'the explained score')
      const other = await first(`${message}\n> zebras of the quarry`)
      equal(other, await first(message), 'pasted words that no skill has')
      equal((await library.match(pasted)).matches, [], 'pasted text alone')
    }),
    test('ranks skills by the files and the page that the user works on', async (library, id) => {
      const [meeting, garden] = [id('team-a/notes'), id('team-b/notes')]
      const find = async (place: { files?: string[]; url?: string }) =>
        (await library.search({ message: 'notes', ...place }, { limit: 50 })).matches
      const scoreOf = (matches: Awaited<ReturnType<typeof find>>, id: string) =>
        matches.find(match => match.id === id)?.score ?? 0
      const plain = await find({})
      check(scoreOf(plain, garden) > 0, 'without a place, a skill that requires one is found')
      const place = { files: ['readme.md', 'garden/2026/beds.txt'] }
      const placed = await find(place)
      equal(placed[0]?.id, garden, 'the skill whose path fits')
      check(
        scoreOf(placed, garden) > scoreOf(plain, garden),
        'a path that fits does not raise the score',
      )
      check(
        placed[0]?.reason.includes('garden/2026/beds.txt'),
        `the reason is ${placed[0]?.reason}`,
      )
      const { rank, matched, ...explained } = await library.explain(
        { message: 'notes', ...place },
        garden,
      )
      equal(explained, placed[0], 'explain')
      const elsewhere = await find({ url: 'https://example.com/talks/may.vtt?page=2' })
      equal(
        [elsewhere[0]?.id, scoreOf(elsewhere, garden)],
        [meeting, 0],
        'the page fits one, the other is elsewhere',
      )
      equal(
        (await library.explain({ message: 'notes', files: [] }, garden)).rank,
        0,
        'explain a skill of elsewhere',
      )
      await rejects(
        () => library.search({ message: 'notes', url: 'talks/may.vtt' }),
        'invalid-input',
        'a relative URL',
      )
    }),
    test('filters by tag, origin and id', async (library, id) => {
      const [{ origin } = { origin: '' }] = library.snapshot.skills
      const office = [id('slides'), id('work/sales-report')]
      equal(idsOf(await library.list({ tags: ['OFFICE'] })), office, 'list by tag')
      equal((await library.list({ tags: ['data', 'travel'] })).length, 2, 'list by several tags')
      equal((await library.list({ origins: [origin] })).length, PATHS.length, 'list by origin')
      equal(await library.list({ origins: ['other'] }), [], 'another origin')
      equal(await library.list({ tags: ['office'], origins: ['other'] }), [], 'both')
      const message = 'slides of sales figures, notes and folders'
      const found = await library.search(message, { limit: 50, tags: ['office'] })
      equal(found.matches.map(match => match.id).sort(), office, 'search by tag')
      equal(
        (await library.match(message, { threshold: 0, origins: ['other'] })).matches,
        [],
        'match by origin',
      )
      const ids = [id('team-a/notes'), id('slides'), 'other/slides']
      const named = [id('slides'), id('team-a/notes')]
      equal(idsOf(await library.list({ ids })), named, 'list by id')
      equal(await library.list({ ids: [] }), [], 'list by no id')
      equal(idsOf(await library.list({ ids, tags: ['office'] })), [id('slides')], 'by id and tag')
      const many = [...ids, ...Array.from({ length: 100 }, (_, index) => `other/${index}`)]
      equal(idsOf(await library.list({ ids: many })), named, 'list by many ids')
      const among = await library.search(message, { limit: 50, ids: many })
      equal(among.matches.map(match => match.id).sort(), named, 'search by id')
      const only = await library.match(message, { threshold: 0, ids: [id('team-a/notes')] })
      equal(idsOf(only.matches), [id('team-a/notes')], 'match by id')
      equal((await library.search(message, { ids: [] })).matches, [], 'search by no id')
    }),
    test('protects the snapshot from changes by callers', async library => {
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
        ignoreErrors(() => Reflect.set(object, key, 'changed'))
      equal(JSON.stringify(library.snapshot), before, 'the snapshot')
      equal(await library.list(), JSON.parse(before).skills, 'the list')
    }),
    test('protects skills and files from changes by other callers', async library => {
      const opened = await library.get('slides')
      const before = JSON.stringify(opened)
      for (const [object, key] of [
        [opened, 'instructions'],
        [opened.metadata, 'name'],
        [opened.metadata.allowedTools ?? [], 0],
        [opened.files, 0],
        [opened.files[0] ?? {}, 'path'],
        [opened.tags, 0],
      ] as [object, string | number][])
        ignoreErrors(() => Reflect.set(object, key, 'changed'))
      equal(JSON.stringify(await library.get('slides')), before, 'the skill')
      const file = await library.read('slides', 'assets/logo.bin')
      file.bytes.fill(0)
      equal((await library.read('slides', 'assets/logo.bin')).bytes, LOGO, 'the file')
    }),
    test('reports no change when a refresh finds none', async library => {
      const { revision } = library.snapshot
      let events = 0
      library.on('change', () => events++)
      const opened = await library.get('slides')
      equal(
        await library.refresh(),
        { revision, added: [], changed: [], removed: [] },
        'the change',
      )
      equal(library.snapshot.revision, revision, 'the revision')
      equal(events, 0, 'events')
      equal(await library.get('slides'), opened, 'the reopened skill')
    }),
    test('rejects invalid arguments', async library => {
      const invalid: [string, () => Promise<unknown>][] = [
        ['get', () => library.get(7 as never)],
        ['limit', () => library.search('slides', { limit: 0 })],
        ['limit', () => library.search('slides', { limit: 1.5 })],
        ['threshold', () => library.match('slides', { threshold: 2 })],
        ['threshold', () => library.match('slides', { threshold: Number.NaN })],
        ['candidates', () => library.match('slides', { candidates: 0 })],
        ['message', () => library.match(undefined as never)],
        ['message', () => library.explain({} as never, 'slides')],
        ['message', () => library.search({} as never)],
        ['history', () => library.search({ message: 'slides', history: 'before' as never })],
        ['pasted', () => library.search({ message: 'slides', pasted: 1 as never })],
        ['tags', () => library.list({ tags: 'office' as never })],
        ['tags', () => library.search('slides', { tags: 'office' as never })],
        ['event', async () => library.on('changed' as never, () => undefined)],
        ['listener', async () => library.on('change', undefined as never)],
      ]
      for (const [label, call] of invalid) await rejects(call, 'invalid-input', label)
      await rejects(
        () => library.match('slides', { threshold: '' as never }),
        'invalid-input',
        'a threshold of text',
      )
      await rejects(
        () => library.read('slides', undefined as never),
        ['invalid-path', 'invalid-input'],
        'path',
      )
    }),
    test('rejects with "aborted" for an aborted signal', async library => {
      for (const [label, call] of callsOf(library, { signal: AbortSignal.abort() })) {
        const { name } = await rejects(call, 'aborted', label)
        equal(name, 'AbortError', `the error name of ${label}`)
      }
      equal((await library.get('slides')).name, 'slides', 'a call after an abort')
    }),
    test('rejects with "closed" after close', async library => {
      await library.close()
      await library.close()
      for (const [label, call] of callsOf(library)) await rejects(call, 'closed', label)
      // As `await using` does, also where the symbol is missing.
      await library[ASYNC_DISPOSE]()
    }),
  ]
}

/** A call of each method. */
const callsOf = (
  library: SkillLibrary,
  options: { signal?: AbortSignal } = {},
): [string, () => Promise<unknown>][] => [
  ['list', () => library.list(options)],
  ['get', () => library.get('slides', options)],
  ['read', () => library.read('slides', 'SKILL.md', options)],
  ['match', () => library.match('slides', options)],
  ['search', () => library.search('slides', options)],
  ['explain', () => library.explain('slides', 'slides', options)],
  ['refresh', () => library.refresh(options)],
]

/** Frozen objects may throw or ignore the change. */
function ignoreErrors(change: () => unknown): void {
  try {
    change()
  } catch {
    // Throwing is as good as ignoring the change.
  }
}
