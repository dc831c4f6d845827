import { describe, expect, it, vi } from 'vitest'
import { agentCore, openseed } from '../../src/exports/dialects.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { beforeReads } from '../watch-reads.js'

const FILES = {
  'environments/dev/skills/lint/skill.md': skill('Lint the code', 'Finds mistakes in code.'),
  'environments/dev/skills/lint/rules.txt': 'rules',
  'environments/dev/skills/both/skill.md': skill('both', 'The one for development.'),
  'environments/prod/skills/roll-back/skill.md': skill('roll-back', 'Takes a release back.'),
  'environments/prod/skills/both/skill.md': skill('both', 'The one for production.'),
  'environments/prod/skills/broken/skill.md': '',
  'environments/half/skills/bare/skill.md': '---\nname: bare\n---\nHas no description.\n',
  'environments/empty/readme.txt': 'nothing yet',
  'common/skill.md': skill('common', 'Everywhere.'),
}

const skillsOf = (library: SkillLibrary): string[] =>
  library.snapshot.skills.map(({ path }) => path.replace(/^environments\/|skills\//g, ''))

const tree = () => memory(FILES, { name: 'core' })

for (const [form, source] of [
  ['a tree', tree],
  ['a packed library', async () => memory(await packedFiles(tree()), { name: 'core' })],
] as const)
  describe(`environments in ${form}`, () => {
    it('[AC-4] a library opens in one environment', async () => {
      await using library = await openLibrary(await source(), { environment: 'dev' })
      expect(skillsOf(library)).toEqual(['common', 'dev/both', 'dev/lint'])
      expect((await library.get('both')).description).toBe('The one for development.')
      expect((await library.get('Lint the code')).instructions).toBe('How to do Lint the code.')
      expect((await library.read('Lint the code', 'rules.txt')).text).toBe('rules')
      expect(library.snapshot.diagnostics).toEqual([])
    })

    it('[AC-4] use() moves to another: list, search, match, names and listeners follow', async () => {
      await using library = await openLibrary(await source(), { environment: 'dev' })
      const reported: unknown[] = []
      library.on('change', change => reported.push(change))
      const before = library.snapshot.revision
      const change = await library.use('prod')
      const added = [
        'core/environments/prod/skills/both',
        'core/environments/prod/skills/roll-back',
      ]
      const removed = ['core/environments/dev/skills/both', 'core/environments/dev/skills/lint']
      expect(change).toEqual({ revision: library.snapshot.revision, added, changed: [], removed })
      expect(reported).toEqual([change])
      expect(change.revision).not.toBe(before)
      expect(skillsOf(library)).toEqual(['common', 'prod/both', 'prod/roll-back'])
      expect((await library.get('both')).description).toBe('The one for production.')
      expect((await library.search('mistakes in code')).matches).toEqual([])
      expect((await library.search('take the release back')).matches[0]?.name).toBe('roll-back')
      await expect(library.get('Lint the code')).rejects.toMatchObject({ code: 'skill-not-found' })
      expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['skill-left-out'])
      await library.use('dev')
      expect(library.snapshot.revision).toBe(before)
    })

    it('[AC-5] an environment that no source has gets a diagnostic with the nearest names', async () => {
      const unknown = (library: SkillLibrary) =>
        library.snapshot.diagnostics.filter(({ code }) => code === 'environment-unknown')
      await using library = await openLibrary(await source(), { environment: 'prd' })
      const message = 'The environment "prd" has no skills'
      const warning = {
        code: 'environment-unknown',
        severity: 'warning',
        message,
        path: 'environments/prd',
      }
      expect(unknown(library)).toEqual([{ ...warning, hint: 'similar names: prod' }])
      await library.use('prod')
      expect(unknown(library)).toEqual([])
      await library.use('nowhere')
      expect(unknown(library)).toMatchObject([
        { hint: 'environments with skills: dev, half, prod' },
      ])
      await library.use(undefined)
      expect(unknown(library)).toEqual([])
    })

    it('[AC-5] [OS-9] a skill that dialects leave out has a diagnostic', async () => {
      await using library = await openLibrary(await source(), { environment: 'half' })
      const inferred = { code: 'description-inferred', path: 'core/environments/half/skills/bare' }
      expect(library.snapshot.diagnostics).toMatchObject([inferred])
      for (const dialect of [agentCore, openseed])
        expect(createSession(library, { dialect }).offered.map(({ name }) => name)).toEqual([
          'common',
        ])
    })

    it('[AC-4] an empty or absent environment has no skills, and undefined has all', async () => {
      await using library = await openLibrary(await source(), { environment: 'dev' })
      for (const name of ['empty', 'nowhere', 'PROD']) {
        await library.use(name)
        expect(skillsOf(library)).toEqual(['common'])
        expect((await library.search('take the release back')).matches).toEqual([])
      }
      await library.use(undefined)
      expect(skillsOf(library)).toEqual([
        'common',
        'dev/both',
        'dev/lint',
        'half/bare',
        'prod/both',
        'prod/roll-back',
      ])
      await expect(library.get('both')).rejects.toMatchObject({ code: 'ambiguous-name' })
    })
  })

describe('an environment', () => {
  it('[AC-4] use() reads the sources again', async () => {
    const source = tree()
    await using library = await openLibrary(source, { environment: 'dev' })
    await source.write({
      put: { 'environments/prod/skills/new/skill.md': skill('new', 'Just came.') },
    })
    await library.use('prod')
    expect(skillsOf(library)).toContain('prod/new')
  })

  it('[AC-4] the last call of use() wins, even during a refresh', async () => {
    await using library = await openLibrary(tree(), { environment: 'dev' })
    const changes = await Promise.all([
      library.refresh(),
      library.use('empty'),
      library.use('prod'),
    ])
    expect(skillsOf(library)).toEqual(['common', 'prod/both', 'prod/roll-back'])
    expect(changes.at(-1)?.revision).toBe(library.snapshot.revision)
  })

  it('[AC-4] use() takes effect even if a refresh of the old environment is reading', async () => {
    const inner = tree()
    const held: (() => void)[] = []
    let isHeld = false
    const source = beforeReads(
      inner,
      () => isHeld && new Promise<void>(resolve => held.push(resolve)),
    )
    await using library = await openLibrary(source, { environment: 'dev' })
    await inner.write({
      put: { 'environments/dev/skills/late/skill.md': skill('late', 'Came late.') },
    })
    isHeld = true
    const refreshed = library.refresh()
    await vi.waitUntil(() => held.length > 0)
    const moved = library.use('prod')
    isHeld = false
    for (const resolve of held) resolve()
    await Promise.all([refreshed, moved])
    expect(skillsOf(library)).toEqual(['common', 'prod/both', 'prod/roll-back'])
  })

  it('[AC-4] the environment stays if use() is aborted or fails', async () => {
    await using library = await openLibrary(tree(), { environment: 'dev' })
    await expect(library.use('prod', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    })
    const stop = new AbortController()
    const moving = library.use('prod', { signal: stop.signal })
    stop.abort()
    await expect(moving).rejects.toMatchObject({ code: 'aborted' })
    for (const name of ['', '..', 'a/b', 'dev/', '%2e%2e', 7 as never])
      await expect(library.use(name)).rejects.toMatchObject({
        code: expect.stringMatching(/^invalid-/),
      })
    await library.refresh()
    expect(skillsOf(library)).toEqual(['common', 'dev/both', 'dev/lint'])
    const other = new AbortController()
    const left = library.use('empty', { signal: other.signal })
    other.abort()
    const moved = library.use('prod')
    await expect(left).rejects.toMatchObject({ code: 'aborted' })
    await moved
    expect(skillsOf(library)).toEqual(['common', 'prod/both', 'prod/roll-back'])
    await expect(openLibrary({}, { environment: '../prod' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })
})
