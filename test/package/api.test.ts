import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { REPORTS, reports, writeReports } from '../../scripts/api-report.js'
import { manifestExports } from '../../scripts/exports.js'
import { temporaryFolder } from '../folders.js'

const folder = temporaryFolder()

describe('public API', () => {
  writeReports(folder)

  it('has one export path per file of src/exports; run `npm run api` after an intended change', () => {
    expect(manifest.exports).toEqual(manifestExports())
  })

  it('has one report per export path', () => {
    expect(readdirSync(REPORTS).sort()).toEqual(
      [...reports().keys()].map(name => `${name}.api.md`).sort(),
    )
  })

  it.each([...reports().keys()])(
    '%s matches its report; run `npm run api` after an intended change',
    name => {
      const file = `${name}.api.md`
      expect(readFileSync(join(folder, file), 'utf8')).toBe(
        readFileSync(join(REPORTS, file), 'utf8'),
      )
    },
  )
})
