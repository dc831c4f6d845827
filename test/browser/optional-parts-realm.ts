import './realm-globals.js'
import { expose, windowEndpoint } from 'comlink'
import { cached, openLibrary } from '../../src/exports/index.js'
import { indexedDb } from '../../src/exports/sources.js'
import { threadEmbedder } from '../../src/exports/thread.js'
import { toy } from '../toy-model.js'

// A page whose engine may lack parts. It opens a library with everything that is optional, and says what it answers.

const realm = {
  async answers(files: Record<string, Uint8Array<ArrayBuffer>>, messages: readonly string[]) {
    const database = `parts ${crypto.randomUUID()}`
    const site = {
      name: 'site',
      read: async (path: string) => {
        const bytes = files[path]
        return bytes && { bytes: new Uint8Array(bytes) }
      },
    }
    const store = indexedDb(database)
    await using library = await openLibrary(cached(site, store), {
      embedder: toy(),
      learn: true,
      onDiagnostic: () => {},
    })
    const upgraded = await library.upgrade(
      threadEmbedder({ worker: () => new Worker('data:text/javascript,throw 1') }),
      { onFailure: () => {} },
    )
    const found = []
    for (const message of messages) found.push(await library.match(message))
    const deck = await library.get('deck')
    const read = (await library.read('deck', 'theme.txt')).text
    const installed = await indexedDb(`own ${database}`)
      .install({ 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nBrew.' })
      .then(
        () => 'installed',
        ({ code }) => code as string,
      )
    if (installed === 'installed') {
      for (const name of [database, `own ${database}`]) indexedDB.deleteDatabase(name)
    }
    return {
      answers: JSON.stringify({ found, instructions: deck.instructions, read, upgraded }),
      codes: library.snapshot.diagnostics.map(({ code }) => code).sort(),
      installed,
    }
  },
}

export type PartsRealm = typeof realm

expose(realm, windowEndpoint(parent))
parent.postMessage('ready', '*')
