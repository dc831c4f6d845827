import { createStore, get, set } from 'idb-keyval'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createKeys } from '../../src/library/signed/signature.js'
import { packedFiles } from '../packed-files.js'

it('[BY-27] the page keeps the revision it has seen, and refuses an older one at the next visit', async () => {
  const { id, privateKey, publicKey } = await createKeys()
  const tea = memory(
    { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews oolong.\n---\nBrew it.' },
    { name: 'team' },
  )
  const files = await packedFiles(tea, { sign: { privateKeys: [privateKey], revision: 7 } })
  const open = () =>
    openLibrary(memory(files, { name: 'team' }), {
      embedder: false,
      publicKeys: [publicKey],
      onDiagnostic: () => {},
    })
  await (await open()).close()
  const store = createStore('skillshelf-revisions', 'revisions')
  expect(await get(`team ${id}`, store)).toBe(7)
  await (await open()).close()
  // Another tab, or an earlier visit.
  await set(`team ${id}`, 8, store)
  await expect(open()).rejects.toMatchObject({
    code: 'untrusted',
    message: expect.stringContaining('revision 8'),
  })
})
