import { describe, expect, it } from 'vitest'
import { skillSection } from '../../src/agent/dialects/omni-employee.js'
import { approvesCall } from '../../src/agent/session/allowed-tools.js'
import { isMentioned } from '../../src/agent/session/context.js'
import { excerpt } from '../../src/agent/session/excerpt.js'
import { cutOffset, shortenDescription } from '../../src/agent/session/fit.js'
import { containsSkill, withoutSkills } from '../../src/agent/session/skill-content.js'
import { trySafePath } from '../../src/core/paths.js'
import { escapeAttribute, markdownLine, showHidden, visibleJson } from '../../src/core/sanitize.js'
import { findSecret } from '../../src/core/secrets/find-secret.js'
import { analyze } from '../../src/core/text/analyze.js'
import { removeNegatedClauses } from '../../src/core/text/description-negation.js'
import { foldText } from '../../src/core/text/fold.js'
import { removeRuledOut } from '../../src/core/text/message-negation.js'
import { withoutQuotes } from '../../src/core/text/message-quotes.js'
import { similarNames } from '../../src/core/text/nearest-name.js'
import { userWords } from '../../src/core/text/user-words.js'
import {
  estimateTokens,
  parseSkill,
  type Skill,
  type SkillSummary,
} from '../../src/exports/index.js'
import { findTerms } from '../../src/exports/match.js'
import { detectContainer } from '../../src/library/catalog/container.js'
import { createLookup } from '../../src/library/catalog/lookup.js'
import { publishedNames } from '../../src/library/store/publish/published-names.js'
import { placeOf } from '../../src/search/decide/place.js'
import { parseChoice } from '../../src/search/decide/rerank.js'
import { divideWords } from '../../src/search/match/divide-words.js'
import { matchesTag } from '../../src/server/http/responses.js'
import { readFields } from '../../src/skill/fields.js'
import { splitFrontmatter } from '../../src/skill/frontmatter.js'
import { firstHeading, firstParagraph } from '../../src/skill/infer.js'
import { slugify } from '../../src/skill/specification.js'
import { splitToolRules } from '../../src/skill/tool-rules.js'
import { readYaml } from '../../src/skill/yaml.js'
import { parseAddress } from '../../src/source/http/address.js'
import { LONG_FILES } from '../path-bombs.js'

const KB = 1_024
/** Linear code takes as long for each character of a longer text, quadratic code 16 times. */
const MOST = 5
/** The clock would decide a shorter measurement, in ms. No text of this size is read so fast in quadratic time. */
const MEASURABLE = 50

type Work = (text: string) => unknown
type Make = (size: number) => string

/** A text of exactly `size` characters: `before`, then `unit` again and again, then `after`. */
const grown =
  (unit: string, before = '', after = ''): Make =>
  size =>
    before +
    unit.repeat(Math.ceil(size / unit.length)).slice(0, size - before.length - after.length) +
    after

/** Processor time of this process in ms: unlike the time on the wall it does not grow on a busy machine. */
async function measure(work: Work, text: string, calls: number): Promise<number> {
  const start = process.cpuUsage()
  for (let call = 0; call < calls; call++) await work(text)
  return process.cpuUsage(start).user / 1_000
}

/** Time for each character of 64 KB by that of 4 KB. The least of three measurements counts. */
async function growth(work: Work, make: Make): Promise<number> {
  const [small, large] = [make(4 * KB), make(64 * KB)]
  let least = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < 3 && least > MOST; sample++) {
    const more = await measure(work, large, 1)
    if (more < MEASURABLE) return 1
    const less = await measure(work, small, 16)
    least = Math.min(least, more / less)
  }
  return least
}

const skill = {
  id: 'skills/a',
  name: 'a',
  description: '',
  digest: `sha256:${'0'.repeat(64)}`,
} as Skill
const named = (name: string): SkillSummary => ({ ...skill, name }) as SkillSummary
const lookUp: Work = name => {
  try {
    createLookup([named('slides')], new Map()).find(name)
  } catch {
    // Not found.
  }
}
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const MARKS = '\u0301\u0323'
const ASTRAL_MARKS = '\u{1d16d}\u{1d165}'
const HALFWIDTH = '\uff9e\u0334'
const SPACES = grown(' ', 'a', 'b')

const FIELDS = 'name: tea-timer\ndescription: Times a pot of tea.'
/** Texts of a skill with `unit` again and again at every place. */
const skillsWith = (unit: string) => [
  grown(unit),
  grown(unit, '# a', 'b'),
  grown(unit, 'name', 'b'),
  grown(unit, '```', '!'),
  grown(unit, `---\n${FIELDS}\na`, '!\n'),
  grown(unit, `---\n${FIELDS}\nx: `, '\n---\n'),
  grown(unit, `---\n${FIELDS}\nx: [\na`, '!\n---\n'),
  grown(unit, `---\n${FIELDS}\n---\n`, 'x'),
]
const UNITS = [
  ' ',
  '-',
  '- ',
  '[',
  '[](',
  '<!-- ',
  '`',
  '# a ',
  'a.',
  '"',
  '\n',
  '```\n',
  '\u0301\u0316',
  '字',
]

const cases: Readonly<Record<string, readonly [Work, ...(string | Make)[]]>> = {
  foldText: [foldText, MARKS, ASTRAL_MARKS, HALFWIDTH],
  findTerms: [
    text => findTerms(text, ['slides']),
    MARKS,
    ASTRAL_MARKS,
    HALFWIDTH,
    'aB',
    'か\u3099\u0323',
  ],
  analyze: [text => analyze(text, () => undefined), MARKS, ASTRAL_MARKS, HALFWIDTH, 'aB', '漢'],
  divideWords: [text => divideWords(text, () => false), '数据分析和可视化', '鑰龘', 'データ'],
  userWords: [
    userWords,
    '<a>',
    '</a>',
    '<ide_x>y</ide_x> z ',
    '<user_query> ',
    '```a\n',
    '~~~~\n',
    'at a:1:',
    'a/',
    '@',
    '/a.b ',
    'a.Error',
    '> ',
    ' ',
    '[Image ',
    'a is closed: ',
    '## My request for ',
    '<ide_x>\n',
    '</ide_x>\n',
    '<system-reminder>\nThe user sent a new message:\n',
    '[a](',
    '"/a b',
    '\\ ',
    'a(b)[c]/',
    '漢/',
    '{"a":\n',
    '{\n"a"\n',
    'Stop hook feedback:\n',
    '- a\n',
    '--- Context from: a ---\n',
    'a.b:1:',
    'ERROR ',
  ],
  withoutQuotes: [
    message => withoutQuotes(message),
    '"',
    "'",
    '“a b c d” ',
    "'a b c d",
    ' ‘',
    '「',
    '„«',
  ],
  removeRuledOut: [removeRuledOut, 'do not ', "don't make slides, ", '不要别', '지 마'],
  removeNegatedClauses: [
    removeNegatedClauses,
    '.',
    '.a',
    'do not ',
    grown(' ', 'do not', 'x'),
    grown(' ', 'use a', 'x'),
    'not to be used ',
    'use a ',
  ],
  slugify: [slugify, MARKS, ASTRAL_MARKS, HALFWIDTH, '-'],
  'slugify in any script': [text => slugify(text, '-', true), MARKS, ASTRAL_MARKS, HALFWIDTH],
  publishedNames: [name => publishedNames([{ path: 'a', name }]), MARKS, ASTRAL_MARKS, HALFWIDTH],
  'lookup by name': [lookUp, MARKS, ASTRAL_MARKS, HALFWIDTH, 'a-', SPACES],
  similarNames: [name => similarNames('slides', [name]), MARKS, HALFWIDTH, SPACES],
  isMentioned: [
    content => isMentioned(named('slides'), [{ role: 'user', content }]),
    MARKS,
    HALFWIDTH,
  ],
  parseChoice: [
    answer => parseChoice(answer, 5),
    MARKS,
    HALFWIDTH,
    grown('1', '', 'a'),
    '1.',
    '-1 ',
  ],
  estimateTokens: [estimateTokens, MARKS, '\n ', grown(' ', '\n', 'a'), 'aB'],
  showHidden: [showHidden, '\u200d', '👨\u200d', '\r', '\u202e'],
  markdownLine: [markdownLine, '1', SPACES, '#'],
  escapeAttribute: [escapeAttribute, ']', '][', ']]>', '\ud800', SPACES],
  visibleJson: [visibleJson, '\u202e'],
  trySafePath: [trySafePath, '%25', MARKS, 'a/', 'a.'],
  containsSkill: [
    text => containsSkill(text, skill),
    '<skill_content ',
    '<skill_content >',
    grown('<skill_content name="a">', '', '</skill_content>'),
    '</skill_content>',
  ],
  withoutSkills: [
    text => withoutSkills(text, [{ skill, toolResult: '' }]),
    grown('<skill_content ', '</skill_content>'),
    grown('<skill_content >', '</skill_content>'),
    grown('<skill_content a>', '', '</skill_content>'),
  ],
  shortenDescription: [text => shortenDescription(text, 120), SPACES, ','],
  cutOffset: [text => cutOffset(text, text.length - 1), SPACES, '.', '."', ', ', '。', '\n'],
  excerpt: [
    text => excerpt(text, { offset: 0, length: 10, path: 'a.md' }),
    '#\n',
    '```\n',
    grown(' ', '# '),
  ],
  skillSection: [
    description =>
      skillSection({
        skill: { ...skill, description, root: description, instructions: description, files: [] },
      } as never),
    '`a',
    '`',
    SPACES,
  ],
  approvesCall: [text => approvesCall([text, `Bash(${text})`], 'Bash', text), '(', '()', 'a;'],
  splitToolRules: [splitToolRules, '(', '(a', '()', ']'],
  readFields: [
    timeout => readFields({ values: { timeout, tags: timeout, enabled: timeout }, sources: {} }, 1),
    grown(' ', '1', 'x'),
    grown('1', '', 'x'),
    '1.',
  ],
  splitFrontmatter: [
    splitFrontmatter,
    '---\n',
    '---\n\n',
    '\n',
    grown(' ', '---\n', '\nname: a\n---\n'),
    grown('# a\n\n', '---\nname: a\n'),
    grown('a\n\n', '---\nname: a\n', '---\n'),
    '```\n',
    grown('\n```', '```yaml\nname: a\n---\n', 'x'),
    '```yaml\n---\nname: a\n',
    grown(' ', '```', '!'),
    grown('a ', '---\n', '\n---\n'),
  ],
  readYaml: [
    text => readYaml(text, 1),
    grown(' ', 'a', 'b'),
    'a ',
    grown(' ', 'a: 1', '\n\tb: "'),
    grown('"', 'a: '),
  ],
  'first heading and paragraph': [
    body => [firstHeading(body), firstParagraph(body)],
    '[a](',
    grown('[]()', '[](('),
    '**a_',
    '`',
    grown(' #', '# a', 'b'),
    '<!--',
    '- \n',
  ],
  parseSkill: [text => parseSkill(text), ...UNITS.flatMap(skillsWith)],
  'parseSkill with a long name': [
    name => parseSkill(`---\nname: "${name}"\ndescription: a\n---\n`),
    MARKS,
    HALFWIDTH,
  ],
  detectContainer: [
    text =>
      detectContainer({
        bytes: bytesOf(text),
        url: 'https://a.example/a',
        type: 'text/plain',
      } as never),
    grown('-', '---\n'),
    '---\n',
    ' \n',
  ],
  'paths of a skill': [
    text =>
      placeOf({ files: [...LONG_FILES, text] }).weigh({
        paths: [text, ...text.split('\n')],
        pathsRequired: true,
      }),
    '*a',
    grown(`${'*a'.repeat(120)}b\n`),
    '**/*/z?\n',
    '{z,y}',
    grown(`${'{z,y}'.repeat(40)}\n`),
    ',',
    grown(',', '{', '}'),
    '[',
    grown(`*[${'x-y'.repeat(80)}]*z\n`),
    '*\n',
  ],
  matchesTag: [tag => matchesTag(tag, '"a"'), ',', 'W/', SPACES],
  findSecret: [
    text => [findSecret('a.md', bytesOf(text)), findSecret('.env', bytesOf(text))],
    ...[
      'ghp_',
      'sk-',
      'AKIAABCDEFGHIJKLMNOP ',
      'secretAccessKey',
      '"kty":"EC",',
      '{"kty":"EC",',
      'A: b\n',
      '\n',
      '\\n',
    ],
    ...[
      'LS0tLS1CRUdJTi',
      'LS0tLS1CRUdJTiBQUklWQVRFIEtFWQ ',
      'PuTTY-User-Key-File-2: ',
      'PRIVATE KEY',
    ],
    ...['BEGIN ', 'END ', 'BEGIN RSA '].flatMap(type => [
      `-----${type}PRIVATE KEY-----`,
      `-----${type}PRIVATE KEY-----\nAAAA\n`,
    ]),
  ],
  parseAddress: [
    text => parseAddress(`https://a.example/${text}`),
    grown('a', '', '/b.zip'),
    '/',
    '.',
  ],
}

describe('time over hostile text', () => {
  it('[BY-9] the measurement finds quadratic code', async () => {
    // A part of the text, because all of it would take seconds.
    const quadratic: Work = text => {
      const part = text.slice(0, text.length / 8)
      let pairs = 0
      for (let one = 0; one < part.length; one++) {
        for (let other = 0; other < part.length; other++) {
          if (part.charCodeAt(one) === part.charCodeAt(other)) pairs++
        }
      }
      return pairs
    }
    expect(await growth(quadratic, grown('aB'))).toBeGreaterThan(MOST)
  })

  for (const [name, [work, ...inputs]] of Object.entries(cases))
    it(`[BY-9] ${name} is linear`, async () => {
      const figures: number[] = []
      for (const one of inputs)
        figures.push(Math.round(await growth(work, typeof one === 'string' ? grown(one) : one)))
      expect(Math.max(...figures), figures.join(' ')).toBeLessThanOrEqual(MOST)
    })
})
