import { env } from 'cloudflare:workers'
import { describe } from 'vitest'
import type { R2BucketLike } from '../../src/exports/cloudflare.js'
import { packedCases } from './r2-packed-cases.js'
import { readingCases } from './r2-reading-cases.js'
import { r2Suites } from './r2-suites.js'
import { treeCases } from './r2-tree-cases.js'
import { writingCases } from './r2-writing-cases.js'

const { TEST_BUCKET } = env as unknown as { TEST_BUCKET: R2Bucket }
// Without a cast: the type of the platform's binding fits.
const bucket: R2BucketLike = TEST_BUCKET
const open = async (): Promise<R2BucketLike> => bucket

describe('[CARD-1] [BY-5] every source and library over R2', () => r2Suites(open))
describe('[CARD-1] [AC-1] reading from R2', () => readingCases(open))
describe('[CARD-1] [AC-5] a tree of 2,500 objects in R2', () => treeCases(open))
describe('[BY-5] a packed library in R2', () => packedCases(open))
describe('[BY-5] [BY-9] writing to R2', () => writingCases(open))
