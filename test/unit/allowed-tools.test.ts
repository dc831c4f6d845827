import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession, type Session } from '../../src/exports/session.js'

const skill = (fields: string): string =>
  `---\nname: release\ndescription: Releases a package.\n${fields}---\nRelease it.\n`

async function opened(fields: string): Promise<Session> {
  const library = await openLibrary(memory({ 'release/SKILL.md': skill(fields) }), {
    embedder: false,
  })
  const session = createSession(library)
  await session.load('release')
  return session
}

it('[BY-32] a skill without allowed-tools restricts no tool and approves no call', async () => {
  const session = await opened('')
  expect(session.prune(['Bash', 'Write'])).toEqual(['Bash', 'Write'])
  for (const argument of ['rm -rf /', 'git status', undefined])
    expect(session.permits('Bash', argument)).toBe(false)
  expect(session.permits('load_skill')).toBe(true)
})

it('[BY-32] without an open skill no call is approved', async () => {
  await using library = await openLibrary(memory({ 'release/SKILL.md': skill('') }))
  const session = createSession(library)
  expect(session.prune(['Bash'])).toEqual(['Bash'])
  expect(session.permits('Bash', 'ls')).toBe(false)
})

it('[BY-32] one skill without a list lifts the restriction of the others, and approves nothing more', async () => {
  await using library = await openLibrary(
    memory({
      'release/SKILL.md': skill('allowed-tools: Bash(git:*)\n'),
      'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nBoil.\n',
    }),
  )
  const session = createSession(library)
  await session.load('release')
  expect(session.prune(['Bash', 'Write'])).toEqual(['Bash'])
  await session.load('tea')
  expect(session.prune(['Bash', 'Write'])).toEqual(['Bash', 'Write'])
  expect(session.permits('Bash', 'git status')).toBe(true)
  expect(session.permits('Bash', 'rm -rf /')).toBe(false)
})

it.each<[list: string, offered: string[], not: string[]]>([
  ['mcp__github', ['mcp__github__create_issue', 'mcp__github'], ['mcp__gitlab__x', 'github']],
  ['mcp__github__*', ['mcp__github__create_issue'], ['mcp__githubx__create_issue']],
  ['mcp__github__get_*', ['mcp__github__get_issue'], ['mcp__github__create_issue']],
  ['mcp__github__get_issue', ['mcp__github__get_issue'], ['mcp__github__get_issues']],
  ['mcp__*', ['mcp__github__get_issue'], ['Bash']],
  ['"*"', ['Bash', 'Read'], []],
  [`'"Read", "Bash(git add *)"'`, ['Read', 'Bash'], ['Write']],
  ["'`Read`, `Write`'", ['Read', 'Write'], ['Bash']],
  ['"Read,Write,Bash(git add:*)"', ['Read', 'Write', 'Bash'], ['Edit']],
  ['["Read, Grep", "Bash(git:*) Glob"]', ['Read', 'Grep', 'Bash', 'Glob'], ['git']],
  ['Read(**/*.md) WebFetch(domain:a.example)', ['Read', 'WebFetch'], ['Bash']],
  ['Bash (git add:*)', ['Bash'], ['Read']],
  ['bash read', ['Bash', 'Read'], ['Write']],
])(
  '[BY-32] allowed-tools: %s offers the tools that the skill needs',
  async (list, offered, not) => {
    const session = await opened(`allowed-tools: ${list}\n`)
    expect(session.prune([...offered, ...not])).toEqual(offered)
  },
)

it.each<[rule: string, tool: string, approved: string[], not: string[]]>([
  [
    'Bash(git add *)',
    'Bash',
    ['git add', 'git add a b'],
    ['git addx', 'git push', 'git add a; rm b'],
  ],
  [
    'Bash(git add:*)',
    'Bash',
    ['git add', 'git add a b'],
    ['git addx', 'git push', 'git add $(rm b)'],
  ],
  ['Bash (git add:*)', 'Bash', ['git add a'], ['rm a']],
  [
    'Bash(git * main)',
    'Bash',
    ['git push origin main', 'git merge main'],
    [
      'git push origin mainly',
      'git main',
      'git -c core.pager=x log main',
      'git push x; git log main',
    ],
  ],
  ['Bash(* --version)', 'Bash', [], ['rm --version', 'x; y --version']],
  ['Bash(*)', 'Bash', ['rm -rf x'], []],
  [
    'Bash(./scripts/*.sh)',
    'Bash',
    ['./scripts/a.sh', './scripts/a.sh b.sh'],
    ['./scripts/a.py', './scripts/a.py b.sh', './scripts/../b.sh'],
  ],
  ['Bash(npm run test)', 'Bash', ['npm run test'], ['npm run test -- x', 'npm run tests']],
  [
    'Write(out/**)',
    'Write',
    ['out/a.md', 'out/b/c.md', './out/a.md', 'out\\b\\c.md'],
    ['a.md', 'outer/a.md', 'x/out/a.md', '/out/a.md', 'out/../a.md', 'out/a;b', '~/out/a.md'],
  ],
  ['Write(out/)', 'Write', ['out/a.md', 'out/b/c.md'], ['outer/a.md', 'out/../a.md']],
  [
    'Read(**/*.md)',
    'Read',
    ['a.md', 'b/c/a.md'],
    [
      'a.mdx',
      '/etc/a.md',
      '~/a.md',
      '~root/a.md',
      '$HOME/a.md',
      'file:///a.md',
      'https://x.example/a.md',
    ],
  ],
  ['Read(*.md)', 'Read', ['a.md', 'docs/a.md'], ['a.txt']],
  ['Read(*.{md,txt})', 'Read', ['a.md', 'b/a.txt'], ['a.js']],
  ['Read(/src/**)', 'Read', ['src/a.ts'], ['/src/a.ts', 'lib/src/a.ts']],
  ['Read(//srv/data/**)', 'Read', ['/srv/data/a'], ['srv/data/a', '/srv/other', '/x/srv/data/a']],
  ['Read(~/notes/**)', 'Read', ['~/notes/a'], ['notes/a', '/notes/a', '~/a']],
  ['Read(//c/data/**)', 'Read', ['C:\\data\\a'], ['D:\\data\\a']],
  ['Read(app/[id]/*)', 'Read', ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/id/page.tsx']],
  ['Read(!secret/**)', 'Read', [], ['secret/a', 'a']],
  ['Read(caf\u00e9/**)', 'Read', ['cafe\u0301/a'], []],
  ['Glob(src/**)', 'Glob', ['src/**/*.ts'], ['src/{a,../../etc}/*', '**/*.ts']],
  [
    'WebFetch(domain:example.com)',
    'WebFetch',
    ['https://example.com/a', 'http://EXAMPLE.com.', 'https://example.com:8080/a?b'],
    [
      'https://a.example.com',
      'https://example.com.evil.example',
      'https://example.community',
      'https://examples.com',
      'https://xample.com',
      'https://example.com@evil.example',
      'https://evil.example/example.com',
      'https://evil.example#example.com',
      'ftp://example.com',
      'example.com',
    ],
  ],
  [
    'WebFetch(domain:*.example.com)',
    'WebFetch',
    ['https://a.example.com', 'https://b.a.example.com/c'],
    [
      'https://example.com',
      'https://xexample.com',
      'https://a.example.community',
      'https://a.example.com.evil.example',
    ],
  ],
  ['WebFetch(domain:example.*)', 'WebFetch', ['https://example.org'], ['https://example.evil.com']],
  ['WebFetch(domain:*)', 'WebFetch', ['https://any.example'], ['file:///etc/passwd']],
  [
    'WebFetch(https://*.example.com/**)',
    'WebFetch',
    ['https://a.example.com/b'],
    ['https://evil.example#.example.com/', 'http://a.example.com/b', 'https://x@a.example.com/b'],
  ],
  ['Skill(deploy *)', 'Skill', ['deploy', 'deploy prod'], ['deployer', 'x deploy']],
  ['Skill(office:slides)', 'Skill', ['office:slides'], ['slides']],
])('[BY-32] %s of %s approves what it means', async (rule, tool, approved, not) => {
  const session = await opened(`allowed-tools: [${JSON.stringify(rule)}]\n`)
  const shown = (all: string[]) => all.filter(one => session.permits(tool, one))
  expect(shown([...approved, ...not])).toEqual(approved)
  expect(session.permits('Other', approved[0])).toBe(false)
})

it('[BY-32] tools of an MCP server are approved by name, and by a wildcard after the name of the server', async () => {
  const calls = (session: Session) =>
    ['mcp__github__get_issue', 'mcp__github__delete_repo', 'mcp__gitlab__get_issue', 'Bash'].filter(
      tool => session.permits(tool),
    )
  const both = ['mcp__github__get_issue', 'mcp__github__delete_repo']
  for (const [list, approved] of [
    ['mcp__github', both],
    ['mcp__github__*', both],
    ['mcp__github__get_*', [both[0]]],
    ['mcp__*', []],
    ['"*"', []],
    ['B*', []],
  ] as const)
    expect([list, calls(await opened(`allowed-tools: ${list}\n`))]).toEqual([list, approved])
})
