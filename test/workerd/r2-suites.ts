import { describe, it } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { librarySuite, sourceSuite } from '../../src/exports/testing.js'
import { openLibrary } from '../../src/library/library.js'
import { type Files, filling, packed } from './r2-world.js'

/** The suites of every source and every library. */
export function r2Suites(open: () => Promise<R2BucketLike>): void {
  const { fresh } = filling(open)
  for (const prefix of ['', '技能/shared'])
    describe(prefix ? `in the folder ${prefix}` : 'in the whole bucket', () => {
      for (const { name, run } of sourceSuite(async files => ({
        source: r2(await fresh(files as Files, prefix && `${prefix}/`), { prefix }),
      })))
        it(name, run)
    })

  describe('a library', () => {
    for (const { name, run } of librarySuite(async files => openLibrary(r2(await fresh(files as Files)))))
      it(`library of a tree: ${name}`, run)
    for (const { name, run } of librarySuite(async files =>
      openLibrary(r2(await fresh(await packed(files as Files), 'p/'), { prefix: 'p' })),
    ))
      it(`packed library: ${name}`, run)
  })
}
