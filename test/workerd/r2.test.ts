import { env } from 'cloudflare:workers'
import { describe, it } from 'vitest'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { sourceSuite } from '../../src/exports/testing.js'
import { openLibrary } from '../../src/library/open-library.js'
import { packFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'
import { packedCases } from './r2-packed-cases.js'
import { readingCases } from './r2-reading-cases.js'
import { treeCases } from './r2-tree-cases.js'
import { filling } from './r2-world.js'
import { writingCases } from './r2-writing-cases.js'

const { TEST_BUCKET } = env as unknown as { TEST_BUCKET: R2Bucket }
// Without a cast: the type of the platform's binding fits.
const bucket: R2BucketLike = TEST_BUCKET
const open = async (): Promise<R2BucketLike> => bucket

describe('[CARD-1] [BY-5] every source and library over R2', r2Suites)
describe('[CARD-1] [AC-1] reading from R2', () => readingCases(open))
describe('[CARD-1] [AC-5] a tree of three pages in R2', () => treeCases(open))
describe('[BY-5] a packed library in R2', () => packedCases(open))
describe('[BY-5] [BY-9] writing to R2', () => writingCases(open))

/** The suites of every source and every library. */
function r2Suites(): void {
  const { fresh } = filling(open)
  for (const prefix of ['', '技能/shared'])
    describe(prefix ? `in the folder ${prefix}` : 'in the whole bucket', () => {
      for (const { name, run } of sourceSuite(async files => ({
        source: r2(await fresh(files, prefix && `${prefix}/`), { prefix }),
      })))
        it(name, run)
    })

  describe('a library', () => {
    for (const { name, run } of librarySuite(async files => openLibrary(r2(await fresh(files)))))
      it(`library of a tree: ${name}`, run)
    for (const { name, run } of librarySuite(async files =>
      openLibrary(r2(await fresh(await packFiles(files), 'p/'), { prefix: 'p' })),
    ))
      it(`packed library: ${name}`, run)
  })
}
