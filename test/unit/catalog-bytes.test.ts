import { expect, it } from 'vitest'
import type { CatalogEntry } from '../../src/library/catalog/catalog-entry.js'
import { readCatalog, writeCatalog } from '../../src/library/catalog/packed-catalog.js'
import { createSummary } from '../../src/library/catalog/snapshot.js'

const DIGEST = `sha256:${'a'.repeat(64)}`
const DETAILS = `sha256:${'b'.repeat(64)}`

/** An entry with every field. `unread` is of skills that are not fetched, which no packed library has. */
const FULL: Required<Omit<CatalogEntry, 'unread'>> = {
  copies: ['office/slides'],
  pathsRequired: true,
  paths: ['src/**'],
  userInvocable: false,
  disableModelInvocation: true,
  enabled: false,
  inferred: ['description'],
  tokens: { metadata: 12, instructions: 345 },
  content: 'c'.repeat(16),
  details: DETAILS,
  digest: DIGEST,
  tags: ['office'],
  requires: ['core'],
  whenToUse: 'Someone gives a talk.',
  descriptions: { zh: '制作幻灯片。' },
  description: 'Makes slides.',
  displayName: 'Slide Maker',
  name: 'slides',
  path: 'work/slides',
}
const BARE: CatalogEntry = {
  path: '',
  name: 'bare',
  description: 'Has nothing else.',
  tags: [],
  digest: DIGEST,
  details: DETAILS,
  tokens: { metadata: 5, instructions: 6 },
}
const FULL_LINE = `{"path":"work/slides","name":"slides","displayName":"Slide Maker","description":"Makes slides.","descriptions":{"zh":"制作幻灯片。"},"whenToUse":"Someone gives a talk.","requires":["core"],"tags":["office"],"digest":"${DIGEST}","details":"${DETAILS}","content":"${'c'.repeat(16)}","tokens":[12,345],"inferred":["description"],"enabled":false,"disableModelInvocation":true,"userInvocable":false,"paths":["src/**"],"pathsRequired":true,"copies":["office/slides"]}`
const BARE_LINE = `{"path":"","name":"bare","description":"Has nothing else.","digest":"${DIGEST}","details":"${DETAILS}","tokens":[5,6]}`

it('[BY-5] the bytes of a catalog do not depend on the order of fields in its entries, and are read back', async () => {
  const segments = [{ file: `${'0'.repeat(16)}.seg`, skills: 2, dead: [] }]
  const catalog = {
    format: 'skillshelf/1',
    name: 'it',
    skills: [FULL, BARE],
    segments,
    diagnostics: [],
  } as const
  const bytes = await writeCatalog(catalog)
  const [, content = ''] = /^\{"format":"skillshelf\/1","digest":"sha256:[0-9a-f]{64}",(.*)$/s.exec(
    new TextDecoder().decode(bytes),
  ) as RegExpExecArray
  expect(content).toBe(
    `"name":"it","segments":${JSON.stringify(segments)},"diagnostics":[],"skills":[\n${FULL_LINE},\n${BARE_LINE}\n]}\n`,
  )
  expect((await readCatalog(bytes, 'it')).skills).toEqual([FULL, BARE])
})

it('[BY-5] a summary has each field of its entry but those of the catalog alone', () => {
  const { details: _, enabled: __, content: ___, ...summary } = { ...FULL, unread: true as const }
  expect(createSummary('it/slides', 'it', { ...FULL, unread: true })).toEqual({
    id: 'it/slides',
    origin: 'it',
    ...summary,
  })
  expect(Object.keys(createSummary('it', 'it', BARE))).toEqual([
    'id',
    'name',
    'description',
    'tags',
    'origin',
    'path',
    'digest',
    'tokens',
  ])
})
