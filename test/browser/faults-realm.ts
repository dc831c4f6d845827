import './realm-globals.js'
import { expose, windowEndpoint } from 'comlink'
import { type IndexedDbSource, indexedDb } from '../../src/exports/sources.js'
import type { SkillStore } from '../../src/library/store/store.js'

// A tab or worker that installs skills into a database on request.

const stores = new Map<string, IndexedDbSource & SkillStore>()

function store(database: string): IndexedDbSource & SkillStore {
  const known = stores.get(database) ?? indexedDb(database)
  stores.set(database, known)
  return known
}

const realm = {
  /** `onWrite` is called when the first skill is written. */
  async install(database: string, files: Readonly<Record<string, string>>, onWrite?: () => void) {
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase === 'write') onWrite?.()
    }
    const { added, changed } = await store(database).install(files, { onProgress })
    return { added: [...added], changed: [...changed] }
  },
  async edit(database: string, skill: string, put: Readonly<Record<string, string>>) {
    return [...(await store(database).edit(skill, { put })).changed]
  },
  async remove(database: string, skill: string) {
    return [...(await store(database).remove(skill)).removed]
  },
}

export type FaultsRealm = typeof realm

if ('document' in globalThis && parent !== self) {
  expose(realm, windowEndpoint(parent))
  parent.postMessage('ready', '*')
} else {
  expose(realm)
}
