import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLE_COUNT } from '../samples.js'
import { cli, demo, expectRefusal, packedDemo, skill, temporaryFolder } from './cli-world.js'

const samples = await packedDemo()

describe('skillshelf match', () => {
  it('prints a table of ranked skills', async () => {
    const { code, out } = await cli([
      'match',
      'make',
      'slides',
      'about',
      'our',
      'launch',
      '--skills',
      samples,
    ])
    expect(code).toBe(0)
    const [head, first, ...rest] = out.trimEnd().split('\n')
    expect(head).toMatch(/^#\s+score\s+skill\s+reason$/)
    expect(first).toMatch(/^1\s+0\.[7-9]\d\s+ppt\s+.*“slides”/)
    expect(rest.filter(line => /^\d/.test(line)).length).toBeLessThanOrEqual(4)
    expect(out).toContain('Match: the first skill is likely right')
  })

  it('prints JSON with the model, and whether each match is above the threshold', async () => {
    const message = 'make slides about our launch'
    const ran = await cli(['match', message, '--skills', samples, '--json', '--limit', '2'])
    const { matches, ...head } = ran.json()
    expect(head).toEqual({
      message,
      status: 'match',
      complete: true,
      served: expect.any(Number),
      threshold: 0.7,
      revision: expect.stringMatching(/^[0-9a-f]{16}$/),
      model: expect.stringMatching(/^hybrid\/1 /),
    })
    expect(matches).toHaveLength(2)
    expect(Object.keys(matches[0])).toEqual([
      'id',
      'name',
      'description',
      'score',
      'reason',
      'above',
      'signals',
    ])
    expect(matches[0]).toMatchObject({ id: 'skills/ppt', name: 'ppt', above: true })
    expect(matches[1].above).toBe(false)
    const strict = await cli([
      'match',
      message,
      '--skills',
      samples,
      '--json',
      '--threshold',
      '0.9999',
    ])
    expect(strict.json().matches[0].above).toBe(false)
  })

  it('[BY-1] matches by meaning, with --no-meaning by words', async () => {
    const argv = [
      'match',
      'summarize what our team achieved since Monday',
      '--skills',
      samples,
      '--json',
    ]
    const [meaning, words] = await Promise.all([cli(argv), cli([...argv, '--no-meaning'])])
    const nearest = { name: 'weekly-report', signals: { similarity: expect.any(Number) } }
    expect(meaning.json().matches[0]).toMatchObject(nearest)
    expect(words.json().model).toBe('lexical/1')
  })

  it('reports that no score is above the threshold and shows the nearest skills', async () => {
    const ran = await cli(['match', 'tell me a joke', '--skills', samples])
    expect(ran.code).toBe(0)
    expect(ran.out).toContain('No match: probably no skill fits; the nearest ones are shown.')
    expect((await cli(['match', 'tell me a joke', '--skills', samples, '--require'])).code).toBe(1)
    expect((await cli(['match', 'make a PPT', '--skills', samples, '--require'])).code).toBe(0)
    for (const message of ['', ' '])
      await expectRefusal('The message is missing', ['match', message, '--skills', samples])
    const wordless = { code: 0, out: 'The message has no words, or only function words.\n' }
    expect(await cli(['match', '?', '--skills', samples])).toMatchObject(wordless)
    expect((await cli(['match', 'qqqqxx', '--skills', samples])).out).toBe(
      'No skill shares a word with the message.\n',
    )
  })

  it('filters by tag', async () => {
    const ran = await cli([
      'match',
      'make slides for a flight',
      '--skills',
      samples,
      '--tag',
      'TRAVEL',
      '--json',
    ])
    expect(ran.json().matches.map((match: { name: string }) => match.name)).toEqual(['book-flight'])
  })

  it('shows the ids of skills that share a name', async () => {
    const pdf = skill('pdf', 'Reads PDF files.')
    const cwd = temporaryFolder({ 'one/pdf/SKILL.md': pdf, 'two/pdf/SKILL.md': `${pdf}Twice.\n` })
    const { out } = await cli(['match', 'read a pdf'], { cwd })
    expect(out).toContain('/one/pdf ')
    expect(out).toContain('/two/pdf ')
  })
})

describe('skillshelf list', () => {
  it('lists skills with their description and tokens', async () => {
    const { code, out } = await cli(['list', '--skills', samples])
    expect(code).toBe(0)
    expect(out).toMatch(/^book-flight\s+Flight booking assistant: .*…\s+\d+\s+\d+$/m)
    expect(out).toMatch(new RegExp(`\\n\\n${SAMPLE_COUNT} skills, [\\d,]+ tokens of metadata\\n$`))
  })

  it('prints JSON and filters by tag', async () => {
    const all = (await cli(['list', '--skills', samples, '--json'])).json()
    expect(all.skills).toHaveLength(SAMPLE_COUNT)
    const tokens = expect.objectContaining({ metadata: expect.any(Number) })
    expect(all.skills).toContainEqual(expect.objectContaining({ id: 'skills/book-flight', tokens }))
    const tagged = (await cli(['list', '--skills', samples, '--json', '--tag', 'slides'])).json()
    expect(tagged.skills).toMatchObject([{ name: 'ppt' }])
    expect((await cli(['list', '--skills', samples, '--tag', 'nothing'])).out).toMatch(
      /has the tag nothing/,
    )
  })
})

describe('skillshelf show', () => {
  it('shows the metadata, files and instructions of a skill', async () => {
    const { code, out } = await cli(['show', 'PPT生成', '--skills', samples])
    expect(code).toBe(0)
    expect(out).toMatch(/^ppt\n/)
    expect(out).toMatch(/display name\s+PPT生成/)
    expect(out).toMatch(/allowed tools\s+read_file, create_slides/)
    expect(out).toMatch(/resources\/layout\.py\s+script/)
    expect(out).toContain('## 能力概述')
    const data = (await cli(['show', 'ppt', '--skills', samples, '--json'])).json()
    expect(data).toMatchObject({ id: 'skills/ppt', metadata: { timeout: 600 } })
    expect(data.instructions).toContain('## 能力概述')
  })

  it('prints a text file unchanged and describes a binary file', async () => {
    const path = 'scripts/search_flights.py'
    const { out } = await cli(['show', 'book-flight', '--skills', samples, '--file', path])
    expect(out).toBe(await readFile(join(demo, 'book-flight', path), 'utf8'))
    const file = 'resources/templates/minimal.pptx'
    const argv = ['show', 'ppt', '--skills', samples, '--file', file]
    const says = expect.stringMatching(/minimal\.pptx is not text: [\d.]+ kB, \S+\/\S+/)
    expect(await cli(argv)).toMatchObject({ code: 0, out: says })
    const data = (await cli([...argv, '--json'])).json()
    expect(Buffer.from(data.base64, 'base64')).toEqual(await readFile(join(demo, 'ppt', file)))
  })

  it('[BY-9] refuses a path that leaves the skill', async () => {
    for (const path of ['../pdf/SKILL.md', '/etc/passwd', '..%2fpdf%2fSKILL.md'])
      await expectRefusal('Invalid path', ['show', 'ppt', '--skills', samples, '--file', path])
  })

  it('suggests similar names for a missing skill or file', async () => {
    const show = (...argv: string[]) => cli(['show', ...argv], { cwd: samples })
    const similar =
      /^skillshelf: Skill "deep_reserch" not found\n {2}similar names: deep_research\b/
    expect((await show('deep_reserch')).err).toMatch(similar)
    const listed = 'skillshelf: Skill "zzz" not found\n  list the skills with: skillshelf list .\n'
    expect((await show('zzz', '.')).err).toBe(listed)
    expect((await show('ppt', '--file', 'layout.py')).err).toContain('resources/layout.py')
  })
})

describe('skillshelf match --why-not', () => {
  const cwd = temporaryFolder({
    'skills/money/SKILL.md': skill('money', 'Tracks bank budgets. Not for tax returns.'),
    'skills/slides/SKILL.md': skill('slides', 'Makes slides and presentations.'),
    'skills/weather/SKILL.md': skill('weather', 'Fetches the weather forecast for a place.'),
    'skills/history/SKILL.md': skill('history', 'Makes a commit.'),
    'skills/note/SKILL.md': skill('note', 'Writes minutes of a meeting.'),
    'skills/note/messages.txt': 'who said what\n',
    'skills/memo/SKILL.md': skill('memo', 'Writes memos.'),
    'skills/memo/messages.txt': 'who said what\n# not\nwrite a novel\n',
    'skills/tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\nenabled: false\n---\nx\n',
    'skills/coffee/SKILL.md': '---\nname: coffee\n---\n',
  })
  const whyNot = async (message: string, name: string) =>
    (await cli(['match', message, '--why-not', name, '--no-meaning', '--json'], { cwd })).json()

  it.each([
    ['who ate the cake', 'money', 'nothing-in-common', /no word in common/],
    ['do my tax returns', 'money', 'excluded', /its description rules out “tax”, “returns”/],
    ['Write a novel!', 'memo', 'excluded', /has “write a novel” below `# not`/],
    ['summarize this, but no slides please', 'slides', 'ruled-out', /rules out “slides”/],
    ['weather forecast for my budgets', 'money', 'taken', /weather takes the message with 0\.\d\d/],
    ['who said what', 'note', 'rivals', /memo .* with 0\.\d\d/],
    ['commit', 'history', 'subject', /one common word is a subject/],
    ['how do I', 'note', 'nothing-in-common', /only function words/],
    ['a place on the moon', 'weather', 'unlike', /probability 0\.\d\d/],
    ['the weather forecast', 'weather', 'matches', /above the threshold 0\.7/],
    ['brew tea', 'tea', 'disabled', /^tea does not match: skills\/tea is disabled\.$/],
    ['brew coffee', 'Coffee', 'left-out', /^Coffee .*: the skill has no description\.$/],
  ])(
    '[BY-31] says what keeps a skill from a message: %s',
    async (message, name, obstacle, says) => {
      const { sentence, changes, ...why } = await whyNot(message, name)
      expect(why).toMatchObject({ message, obstacle, skill: { name }, threshold: 0.7 })
      expect(sentence).toMatch(says)
      expect(changes.length > 0).toBe(obstacle !== 'matches')
    },
  )

  it('[BY-31] looks at the figures that decided, at what --tag leaves out, and at messages that are there', async () => {
    const argv = ['match', 'the weather forecast', '--why-not', 'weather', '--no-meaning']
    const { out } = await cli([...argv, '--threshold', '1'], { cwd })
    expect(out).not.toContain('rival')
    expect((await cli([...argv, '--tag', 'travel'], { cwd })).out).toMatch(
      /^weather does not match: it does not have the tag travel\.\n- /,
    )
    const { changes } = await whyNot('who said what', 'note')
    expect(changes.at(-1)).toBe(
      'It is a message of note already: take it out of the other skills that have it.',
    )
    expect((await cli(['match', 'x', '--why-not', 'nobody'], { cwd })).err).toContain('not found')
  })

  it('[BY-31] prints a sentence and what would change it, and --require fails without a match', async () => {
    const argv = ['match', 'chase', 'my', 'bank', '--why-not', 'money', '--no-meaning', '--require']
    const { code, out } = await cli(argv, { cwd })
    expect(code).toBe(1)
    expect(out).toMatch(/^money does not match \(score 0\.\d\d, rank 1, the threshold 0\.7\): /)
    expect(out).toContain('\n- The skill has no word for “chase”')
    expect(out).toContain('\n- Add the message to messages.txt of money')
  })
})
