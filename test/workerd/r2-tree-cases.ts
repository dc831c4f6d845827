import { beforeAll, expect, it } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/library/open-library.js'
import { fill, filling, manySkills, skill, watched } from './r2-world.js'

/** Lets the given call fail, from its nth time on. */
function failing(watching: ReturnType<typeof watched>, call: string, nth = 1): void {
  let calls = 0
  watching.before = one => {
    if (one === call && ++calls >= nth) throw new Error('We encountered an internal error. (10001)')
  }
}

/** A tree of 2,010 objects, which are three pages, with counted reads. */
export function treeCases(open: () => Promise<R2BucketLike>): void {
  const { fresh } = filling(open)

  const files = {
    ...manySkills(100, 7),
    ...Object.fromEntries(Array.from({ length: 1_210 }, (_, n) => [`x/${n}`, ''])),
  }

  beforeAll(async () => {
    expect(Object.keys(files).length).toBe(2_010)
    await fresh(files, 'skills/')
  })

  it('library lists 1,000 objects per call and reads each skill once, six at a time', async () => {
    const watching = watched(await open())
    const library = await openLibrary(r2(watching.bucket, { prefix: 'skills' }))
    expect(library.snapshot.skills.length).toBe(100)
    expect(watching.most).toBe(6)
    const opening = watching.since()
    expect(opening.slice(0, 4)).toEqual([
      'get skills/skillshelf.json',
      ...Array(3).fill('list skills/'),
    ])
    expect(opening.length).toBe(1 + 3 + 100)
    expect(new Set(opening.slice(4)).size).toBe(100)
    expect((await library.get('skill-0099')).files.length).toBe(7)
    watching.since()

    // The listing has versions, so unchanged skills are not read again.
    await library.refresh()
    expect(watching.since()).toEqual(Array(3).fill('list skills/'))
    await fill(
      watching.bucket,
      { 'skill-0007/SKILL.md': skill('skill-0007', 'Something else.') },
      'skills/',
    )
    watching.since()
    expect((await library.refresh()).changed).toEqual(['skills/skill-0007'])
    expect(watching.since()).toEqual([
      ...Array(3).fill('list skills/'),
      'get skills/skill-0007/SKILL.md',
    ])

    // One unreadable skill does not hide the others, and returns once it is readable.
    failing(watching, 'get skills/skill-0023/SKILL.md')
    const partly = await openLibrary(r2(watching.bucket, { prefix: 'skills' }))
    expect(partly.snapshot.skills.length).toBe(99)
    const unreadable = { code: 'skill-unreadable', severity: 'error', path: 'skill-0023/SKILL.md' }
    expect(partly.snapshot.diagnostics).toMatchObject([unreadable])
    expect(
      (await partly.match('case 22 of the paperwork', { threshold: 0 })).matches.length,
    ).toBeGreaterThan(0)
    watching.before = undefined
    expect((await partly.refresh()).added).toEqual(['skills/skill-0023'])
    expect([partly.snapshot.skills.length, partly.snapshot.diagnostics]).toEqual([100, []])
  })

  it('list can be aborted between pages', async () => {
    const watching = watched(await open())
    const stop = new AbortController()
    let pages = 0
    watching.before = call => {
      if (call.startsWith('list') && ++pages === 2) stop.abort(new Error('navigated away'))
    }
    const source = r2(watching.bucket, { prefix: 'skills' })
    await expect(source.list?.({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(pages).toBe(2)
    expect((await source.list?.())?.length).toBe(2_010)
  })

  it('library keeps its skills when one page of the listing fails', async () => {
    const watching = watched(await open())
    const library = await openLibrary([
      r2(watching.bucket, { prefix: 'skills' }),
      { 'a/SKILL.md': skill('beside') },
    ])
    failing(watching, 'list skills/', 3)
    const change = await library.refresh()
    expect([change.added, change.removed, library.snapshot.skills.length]).toEqual([[], [], 101])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'source-unreadable', path: 'skills' },
    ])
    // On open it is reported and does not hide other sources.
    failing(watching, 'list skills/', 3)
    const started = await openLibrary([
      r2(watching.bucket, { prefix: 'skills' }),
      { 'a/SKILL.md': skill('beside') },
    ])
    expect(started.snapshot.skills.map(({ name }) => name)).toEqual(['beside'])
    expect(started.snapshot.diagnostics).toMatchObject([
      { code: 'source-unreadable', path: 'skills' },
    ])
  })
}
