/** Random numbers that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const KEYS = [
  ...[
    'name',
    'description',
    'Name',
    'NAME',
    'Description',
    'DESCRIPTION',
    'descripton',
    'nmae',
    'license',
    'licence',
  ],
  ...[
    'allowed-tools',
    'allowed_tools',
    'allowedTools',
    'Allowed-Tools',
    'user_invocable',
    'userInvocable',
    'Version',
  ],
  ...[
    'version',
    'tags',
    'Tags',
    'keywords',
    'metadata',
    'Metadata',
    'author',
    'when_to_use',
    'when to use',
    'Enabled',
  ],
  ...[
    '"name"',
    "'Name'",
    '"a: b"',
    '描述',
    '名称',
    'note.txt',
    'x',
    '1',
    'true',
    '~',
    '? name',
    '__proto__',
    '<<',
    '🍵',
  ],
  ...[
    'messages',
    'triggers',
    'paths',
    'disable-model-invocation',
    'disable_model_invocation',
    '- item',
    '&a key',
  ],
]
const VALUES = [
  ...[
    'tea',
    'Makes tea.',
    'Use when: the kettle sings',
    'a @ b',
    '@home',
    '`code`',
    'see #1',
    'tea # a note',
    '50%',
  ],
  ...[
    '%tag',
    '"A "fine" cup"',
    "'It's tea'",
    '"open',
    "'open",
    '"a\\tb: "c""',
    "'it''s: 'x''",
    '"a" and b: c',
  ],
  ...[
    '[a, b',
    '[a, b]',
    '{a: 1, b: {c: d}}',
    '{a: 1',
    '[WIP] brews: tea',
    '*bold*: text',
    '**Bold**: text',
    '*a',
  ],
  ...[
    '&a tea',
    '!tag tea',
    '!!str 12',
    '!important: tea',
    '| tea',
    '>',
    '',
    '~',
    'null',
    'true',
    '1.0',
    '007',
    '1e3',
  ],
  ...[
    '名称：泡茶',
    '用于：泡茶',
    '泡茶: 用热水',
    '🍵: hot',
    'a：b',
    'C:\\new: x',
    'https://a.example/b: c',
    '- a: b',
    '? a',
  ],
  ...[
    'a\tb',
    'a\t: b',
    'one: two: three',
    '"a: b"',
    "'a: b'",
    '\u2028x: y',
    'a: \u0007b',
    '.inf',
    '0x1F',
    '2024-01-01',
  ],
]
const MORE = [
  ...[
    '  more text',
    '  more: text',
    '\tmore: text',
    '\tmore text',
    '  - item',
    '\t- item',
    '- item',
    '- a: b: c',
    '',
  ],
  ...[
    '# a comment',
    '  # a comment',
    '\t# a comment',
    '    deep: er',
    '\t\tdeep: er',
    ' odd: one',
    '   odd: three',
  ],
  ...[
    '  quoted: "x: y"',
    '  broken: x: y',
    '  clawdbot: {"emoji": "🍵", "requires": {"bins": ["jq"]}}',
    '...',
    '%YAML 1.2',
  ],
  ...[
    'plain prose here',
    'Note: prose',
    '“quoted”',
    '  emoji: @tea',
    '  a: &b [1, 2]',
    '  c: *b',
    '  Name: pot',
    '}',
  ],
  ...[
    '  <<: *a',
    '  author: Mo',
    '  version: 1.0',
    '  “x”: y',
    '  泡茶',
    '  - 泡茶：热水',
    '\r',
    '  a\rb',
    '  tab\there: x',
  ],
]
const BLOCKS = [
  ['|', '  one: two', '  # no comment', '', '  three'],
  ['>-', '  folded', '    deeper: text', '  end'],
  ['|2', '   three spaces', '  two'],
  ['|', '\ttabbed: one', '\t\ttwice'],
  ['>', '  text', ' less: text'],
  ['"a', '  b: c"'],
  ["'a", "b: c'"],
  ['', '  name: inner', '  description: "inner: text"', '  tags:', '    - a', '    - b: c'],
  ['', '  - a', '  - b: c: d', '  - {x: [1, {y: z}]}'],
]
const OPENINGS = [
  '---',
  '---',
  '---',
  '---',
  '---',
  '---',
  '--- ',
  '---yaml',
  '+++',
  '***',
  '',
  '```yaml\n---',
  '```md',
]
const CLOSINGS = [
  '---',
  '---',
  '---',
  '---',
  '---',
  '---',
  '---\t',
  '',
  '***',
  '+++',
  '---\n```',
  '```',
  '...',
]
const ABOVE = [
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '# Tea\n\n',
  'A *fine* tea: hot.\n',
  '\n\n',
  '<!-- MIT -->\n',
  '\ufeff',
]
const BODIES = [
  ...[
    '\n# Tea\n\nBoil water.\n',
    '\nBoil water: hot\n',
    '',
    'no line end',
    '\n---\nname: other\n---\n',
    '\n\n\n',
  ],
  ...[
    '\n```sh\nboil\n```\n',
    '\n```http\nGET / HTTP/1.1\r\nHost: tea.example\r\n```\n',
    '\n烧水。🍵\n',
    '\na\rb\n',
  ],
  ...[
    '\n- step: one\n- two\n',
    '\nNote: boil\n\n***\n\nname: x\n',
    '\n```md\n---\nname: sample\n---\n',
    '\n\tindented\n',
  ],
]

/** A SKILL.md as people and machines write it: valid, odd or broken. The same number gives the same file. */
export function generateSkillFile(number: number): Uint8Array {
  const random = randomNumbers(number)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const lines: string[] =
    random() < 0.8
      ? ['name: tea', `description: ${random() < 0.5 ? 'Makes tea.' : pick(VALUES)}`]
      : []
  const count = Math.floor(random() * 6)
  for (let field = 0; field < count; field++) {
    const [head, ...rest] = random() < 0.2 ? pick(BLOCKS) : [pick(VALUES)]
    lines.push(
      `${pick(KEYS)}${random() < 0.95 ? ':' : pick([' :', '：', ' =', ':: '])} ${head}`,
      ...rest,
    )
    while (random() < 0.3) lines.push(pick(MORE))
  }
  if (random() < 0.1) lines.splice(Math.floor(random() * lines.length), 0, pick(MORE))
  if (random() < 0.1) lines.push(pick(lines.length > 0 ? lines : MORE))
  const text = `${pick(ABOVE)}${[pick(OPENINGS), ...lines, pick(CLOSINGS)].join('\n').replace(/^\n/, '')}\n${pick(BODIES)}`
  const ending = random()
  const ended =
    ending < 0.2
      ? text.replace(/\r?\n/g, '\r\n')
      : ending < 0.25
        ? text.replace(/\n/g, () => (random() < 0.5 ? '\r\n' : '\n'))
        : text
  const encoding = random()
  if (encoding < 0.03) return Buffer.from(`\ufeff${ended}`, 'utf16le')
  if (encoding < 0.05) return Buffer.from(`\ufeff${ended}`, 'utf16le').swap16()
  if (encoding < 0.06) return Buffer.concat([Buffer.from(ended), Buffer.of(0xff)])
  if (encoding < 0.07) return Buffer.from(ended.replace('e', '\0'))
  return Buffer.from(encoding < 0.15 ? `\ufeff${ended}` : ended)
}
