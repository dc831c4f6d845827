import { describe, expect, it } from 'vitest'
import { isSkillshelfError, openLibrary } from '../../src/exports/index.js'
import { github } from '../../src/exports/sources.js'
import { sourceSuite } from '../../src/exports/testing.js'
import { parseGithubAddress } from '../../src/source/github/address.js'
import { fails } from '../fails.js'
import { createGithubStandIn } from '../github-stand-in.js'

const SKILL =
  '---\nname: pdf\ndescription: Extracts tables from PDF files.\n---\nRead [more](more.md).\n'
const FILES = { 'README.md': 'read me', 'skills/pdf/SKILL.md': SKILL, 'skills/pdf/more.md': 'more' }

describe('github', () => {
  const make =
    (options: { token?: string }) =>
    async (files: Readonly<Record<string, Uint8Array | string>>) => ({
      source: github('team/skills', {
        fetch: createGithubStandIn({ 'team/skills': files }).fetch,
        ...options,
      }),
    })
  for (const { name, run } of sourceSuite(make({}))) it(`[CARD-1] github: ${name}`, run)
  for (const { name, run } of sourceSuite(make({ token: 'secret' })))
    it(`[CARD-1] github, with a token: ${name}`, run)

  it('[CARD-1] github opens a folder of a repository with two requests to the API, and refreshes with one', async () => {
    const host = createGithubStandIn({ 'team/skills': { ...FILES } })
    const library = await openLibrary(github('team/skills/skills@main', { fetch: host.fetch }), {
      embedder: false,
    })
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['skills/pdf'])
    expect((await library.read('pdf', 'more.md')).text).toBe('more')
    expect((await library.get('pdf')).root).toBe(
      'https://github.com/team/skills/tree/main/skills/pdf',
    )
    const api = () => host.asked.filter(url => url.startsWith('https://api.github.com/'))
    const tree = expect.stringMatching(
      /\/repos\/team\/skills\/git\/trees\/[0-9a-f]{40}\?recursive=1$/,
    )
    expect(api()).toEqual([
      'https://api.github.com/repos/team/skills/commits?per_page=1&sha=main',
      tree,
    ])
    const raw = host.asked.filter(url => url.startsWith('https://raw.githubusercontent.com/'))
    expect(raw.every(url => /\/[0-9a-f]{40}\/skills\/pdf\/(?:SKILL|more)\.md$/.test(url))).toBe(
      true,
    )
    await library.refresh()
    expect(api()).toHaveLength(3)
    host.push('team/skills', { ...FILES, 'skills/pdf/SKILL.md': SKILL.replace('tables', 'images') })
    expect((await library.refresh()).changed).toEqual(['skills/pdf'])
  })

  it('[CARD-1] github says what submodules and broken links are, and lists no path that leaves the repository', async () => {
    const host = createGithubStandIn({ 'team/skills': { ...FILES } }, [
      { path: 'skills/link/SKILL.md', type: 'blob', mode: '120000', sha: 'a'.repeat(40) },
      { path: 'vendor', type: 'commit', mode: '160000', sha: 'b'.repeat(40) },
      { path: '../outside/SKILL.md', type: 'blob', mode: '100644', sha: 'c'.repeat(40) },
    ])
    const source = github('team/skills', { fetch: host.fetch })
    const listed = (await source.list()).map(({ path, unreadable }) =>
      unreadable ? `${path}: ${unreadable}` : path,
    )
    expect(listed).toEqual([
      ...Object.keys(FILES),
      'skills/link/SKILL.md: it is a link to something that is not in the repository',
      'vendor: it is a submodule: open its own repository',
    ])
    expect(await source.read('skills/link/SKILL.md')).toBeUndefined()
  })

  /** A repository whose files have modes, with the targets of its links. */
  const repository = (tree: Readonly<Record<string, string>>, files: Record<string, string>) => {
    const commit = 'a'.repeat(40)
    const entries = Object.entries(tree).map(([path, mode]) => ({
      path,
      mode,
      type: mode === '160000' ? 'commit' : 'blob',
      sha: path,
      size: 9,
    }))
    return async (url: string) => {
      if (url.includes('/commits')) return Response.json([{ sha: commit }])
      if (url.includes('/git/trees')) return Response.json({ tree: entries })
      const path = decodeURIComponent(url.split(`${commit}/`)[1] ?? '')
      return path in files ? new Response(files[path]) : new Response('', { status: 404 })
    }
  }
  const FILE = '100644'
  const LINK = '120000'

  it('[CARD-1] github leaves out what tools write, as directory() does', async () => {
    const junk = ['.git/x', 'a/node_modules/b/SKILL.md', 'a/.DS_Store', 'a/__pycache__/c.pyc']
    const tree = Object.fromEntries(['a/SKILL.md', ...junk].map(path => [path, FILE]))
    const listing = await github('team/skills', { fetch: repository(tree, {}) }).list()
    expect(listing.map(({ path }) => path)).toEqual(['a/SKILL.md'])
    const below = github('team/skills/a/node_modules', { fetch: repository(tree, {}) })
    expect((await below.list()).map(({ path }) => path)).toEqual(['b/SKILL.md'])
  })

  it('[CARD-1] github follows links within the repository, as directory() does', async () => {
    const fetch = repository(
      {
        'AGENTS.md': FILE,
        'shared/brown.txt': FILE,
        '.agents/skills/tea/SKILL.md': FILE,
        '.claude/skills/tea': LINK,
        'skills/pot/SKILL.md': LINK,
        'skills/pot/references': LINK,
        'skills/pot/outside': LINK,
        'skills/pot/self': LINK,
        'skills/pot/gone': LINK,
      },
      {
        'AGENTS.md': SKILL.replace('pdf', 'pot'),
        'shared/brown.txt': 'brown',
        '.agents/skills/tea/SKILL.md': SKILL.replace('pdf', 'tea'),
        '.claude/skills/tea': '../../.agents/skills/tea',
        'skills/pot/SKILL.md': '../../AGENTS.md',
        'skills/pot/references': '../../shared',
        'skills/pot/outside': '../../../../etc/passwd',
        'skills/pot/self': '.',
        'skills/pot/gone': 'nowhere.md',
      },
    )
    const library = await openLibrary(github('team/skills', { fetch }), { embedder: false })
    expect(library.snapshot.skills.map(({ path }) => path)).toEqual([
      '.agents/skills/tea',
      'skills/pot',
    ])
    expect((await library.read('pot', 'references/brown.txt')).text).toBe('brown')
    expect(library.snapshot.diagnostics.map(({ path }) => path)).toEqual([
      'skills/pot/gone',
      'skills/pot/outside',
      'skills/pot/self',
    ])
    // A folder of the repository has what its links lead to outside of it.
    const folder = github('team/skills/skills', { fetch })
    expect((await folder.read('pot/references/brown.txt')) as object).toHaveProperty('bytes')
  })

  it('[CARD-1] github finds a branch with slashes in a URL', async () => {
    const open = repository({ 'skills/pdf/SKILL.md': FILE }, { 'skills/pdf/SKILL.md': SKILL })
    const asked: string[] = []
    const fetch = async (url: string) => {
      const ref = new URL(url).searchParams.get('sha')
      if (ref !== null) asked.push(ref)
      return ref !== null && ref !== 'feature/x/y' ? new Response('{}', { status: 422 }) : open(url)
    }
    const url = 'https://github.com/team/skills/tree/feature/x/y/skills'
    const source = github(url, { fetch, maxRetries: 0 })
    expect((await source.list()).map(({ path }) => path)).toEqual(['pdf/SKILL.md'])
    await source.list()
    expect(asked).toEqual(['feature', 'feature/x', 'feature/x/y', 'feature/x/y'])
    const wrong = github(url.replace('feature', 'future'), { fetch, maxRetries: 0 })
    await fails(wrong.list(), 'source-not-found', 'team/skills@future')
  })

  it.each([
    [
      'single sign-on',
      403,
      { 'x-github-sso': 'required; url=https://x' },
      'source-failed',
      /single sign-on/,
    ],
    [
      'a limit with a token',
      403,
      { 'x-ratelimit-remaining': '0' },
      'source-failed',
      /until the limit/,
    ],
    ['a token without rights', 403, {}, 'source-failed', /may read the repository/],
    ['a repository without a commit', 409, {}, 'source-not-found', /is an empty repository/],
  ] as const)('[CARD-1] github tells %s', async (_, status, headers, code, message) => {
    const fetch = async () => new Response('{}', { status, headers })
    const source = github('team/skills', { fetch, token: 'secret', maxRetries: 0 })
    await fails(source.list(), code, message)
  })

  it('[CARD-1] github names what is missing, the limit of the API, and a repository that is too large', async () => {
    const host = createGithubStandIn({ 'team/skills': FILES })
    const failure = async (repository: string) => {
      const source = github(repository, { fetch: host.fetch, maxRetries: 0 })
      const error: unknown = await source.list().catch((reason: unknown) => reason)
      return isSkillshelfError(error) ? `${error.code} ${error.message}` : error
    }
    expect(await failure('team/other')).toMatch(/^source-not-found .*GitHub has no team\/other/)
    expect(await failure('team/skills@nope')).toMatch(/^source-not-found .*team\/skills@nope/)
    expect(await failure('team/skills/nope')).toMatch(/^source-not-found .*folder nope/)
    host.truncated = true
    expect(await failure('team/skills')).toMatch(/^too-large .*archive\(\)/)
    host.limited = true
    expect(await failure('team/skills')).toMatch(/^source-failed .*60 requests an hour/)
  })

  /** Answers of something between us and GitHub, for the commits and for the files of a commit. */
  const COMMIT = 'a'.repeat(40)
  it.each([
    ['null for commits', null, null],
    ['a number for commits', 7, null],
    ['a commit of null', [null], null],
    ['a commit without a name', [{}], null],
    ['a commit that is a path', [{ sha: '../../../user' }], null],
    ['a commit that is a query', [{ sha: 'main?recursive=0&x=' }], null],
    ['a commit in capitals', [{ sha: COMMIT.toUpperCase() }], null],
    ['null for files', [{ sha: COMMIT }], null],
    ['files that are no list', [{ sha: COMMIT }], { tree: { length: 1 } }],
    ['a list for files', [{ sha: COMMIT }], []],
  ])('[BY-9] [CARD-1] github refuses %s', async (_, commits, tree) => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return Response.json(url.includes('/commits') ? commits : tree)
    }
    await fails(github('team/skills', { fetch, maxRetries: 0 }).list(), 'source-failed')
    expect(asked.every(url => url.startsWith('https://api.github.com/repos/team/skills/'))).toBe(
      true,
    )
    expect(asked.join()).not.toContain('..')
  })

  it('[BY-9] [CARD-1] github leaves damaged entries out, and refuses a hundred thousand skills', async () => {
    const blob = (path: unknown) => ({ path, type: 'blob', sha: COMMIT, size: 1 })
    const damaged = [null, 7, {}, blob(7), { ...blob('x'), sha: 7 }, { ...blob('y'), size: -1 }]
    let tree: unknown[] = [...damaged, blob('pdf/SKILL.md')]
    const fetch = async (url: string) =>
      Response.json(url.includes('/commits') ? [{ sha: COMMIT }] : { tree })
    expect(await github('team/skills', { fetch }).list()).toEqual([
      { path: 'y', version: COMMIT },
      { path: 'pdf/SKILL.md', version: COMMIT, size: 1 },
    ])
    tree = Array.from({ length: 100_000 }, (_, index) => blob(`${index}/SKILL.md`))
    await fails(github('team/skills', { fetch }).list(), 'too-large', '100000 skills')
  })

  it('[CARD-1] github tries again after a failure, and one aborted read does not stop another', async () => {
    const host = createGithubStandIn({ 'team/skills': FILES })
    const source = github('team/skills', { fetch: host.fetch, maxRetries: 0 })
    host.limited = true
    await expect(source.list()).rejects.toThrow('403')
    host.limited = false
    const stop = new AbortController()
    const aborted = source.read('README.md', { signal: stop.signal })
    const other = source.read('README.md')
    stop.abort()
    await fails(aborted, 'aborted')
    expect(await other).toMatchObject({ version: expect.stringMatching(/^[0-9a-f]{40}$/) })
  })

  it('[CARD-1] a token goes to the API only', async () => {
    const host = createGithubStandIn({ 'team/skills': FILES })
    const source = github('team/skills', { fetch: host.fetch, token: 'secret' })
    await source.read('README.md')
    expect(host.authorized).toEqual(host.asked)
    expect(host.asked.every(url => url.startsWith('https://api.github.com/'))).toBe(true)
  })

  it('[CARD-1] addresses of GitHub are parsed in each form', () => {
    const parts = (text: string) => {
      const { owner, repository, folder, ref } = parseGithubAddress(text)
      return [owner, repository, folder, ref]
    }
    expect(parts('a/b')).toEqual(['a', 'b', '', undefined])
    expect(parts('a/b.js@v1.0')).toEqual(['a', 'b.js', '', 'v1.0'])
    expect(parts('a/b/x/y@feature/z')).toEqual(['a', 'b', 'x/y', 'feature/z'])
    expect(parts('a/b/packages/@scope/x')).toEqual(['a', 'b', 'packages/@scope/x', undefined])
    expect(parts('https://github.com/a/b')).toEqual(['a', 'b', '', undefined])
    expect(parts('github.com/a/b.git')).toEqual(['a', 'b', '', undefined])
    expect(parts('https://github.com/a/b/tree/main/x%20y/z/')).toEqual(['a', 'b', 'x y/z', 'main'])
    expect(parts('https://github.com/a/b/blob/main/x/SKILL.md#L3')).toEqual(['a', 'b', 'x', 'main'])
    expect(parts('https://raw.githubusercontent.com/a/b/refs/heads/main/x/SKILL.md')).toEqual([
      'a',
      'b',
      'x',
      'main',
    ])
    for (const wrong of [
      '',
      'a',
      'a/..',
      'a/b/../c',
      'a b/c',
      '-a/b',
      'a/b@x..y',
      'https://example.com/a/b',
    ])
      expect(() => parts(wrong), wrong).toThrow('Not a GitHub repository')
  })
})
