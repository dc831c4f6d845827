import { http, openLibrary } from '../../src/exports/index.js'
import { skillStore } from '../../src/library/store/store.js'
import { memory } from '../../src/source/memory.js'
import { startHost } from '../page/host.js'
import { markdownTable } from '../report/table.js'
import { type Files, packFiles } from './fixtures.js'
import type { Counts } from './types.js'

export interface RefreshRow extends Counts {
  what: string
  changed: number
  ms: number
}

/** Requests of a refresh from a static host without a change and with one changed skill. */
export async function measureRefresh(tree: Files): Promise<RefreshRow[]> {
  const packed = await packFiles(tree)
  return [
    await refreshed('nothing', packed, packed),
    await refreshed('one skill, edited in a store', packed, await editedInStore(packed)),
    await refreshed('one skill, library packed again', packed, await packFiles(edited(tree))),
  ]
}

export function refreshTable(rows: readonly RefreshRow[]): string {
  return markdownTable(
    ['change', 'changed skills', 'requests', 'received, KB', 'ms'],
    rows.map(({ what, changed, reads, bytes, ms }) => [
      what,
      String(changed),
      String(reads),
      (bytes / 1e3).toFixed(1),
      ms.toFixed(0),
    ]),
  )
}

async function refreshed(what: string, before: Files, after: Files): Promise<RefreshRow> {
  const host = await startHost()
  try {
    host.add(new Map(Object.entries(before)))
    await using library = await openLibrary(http(`${host.origin}/`, { name: 'skills' }), {
      strict: true,
      embedder: false,
    })
    if (after !== before) host.add(new Map(Object.entries(after)))
    const heard = host.listen()
    const start = performance.now()
    const { changed } = await library.refresh()
    const ms = performance.now() - start
    await fetch(`${host.origin}/report`, { method: 'POST', body: '{}' })
    const { requests, ...bytes } = (await heard).traffic
    const sent = Object.values(bytes).reduce((sum, each) => sum + each, 0)
    return { what, changed: changed.length, reads: requests, bytes: sent, ms }
  } finally {
    await host.close()
  }
}

/** The tree with a sentence added to one SKILL.md. */
function edited(tree: Files): Files {
  const path = middle(Object.keys(tree).sort())
  return { ...tree, [path]: longer(tree[path] as Uint8Array) }
}

async function editedInStore(packed: Files): Promise<Files> {
  const source = memory({ ...packed }, { name: 'skills' })
  const store = skillStore(source)
  await using library = await openLibrary(source, { embedder: false })
  const { id } = middle(library.snapshot.skills)
  const { file } = await library.get(id)
  const { bytes } = await library.read(id, file)
  await store.edit(id, { put: { [file]: longer(bytes) } })
  const files: Files = {}
  for (const { path } of (await source.list?.()) ?? []) {
    const found = await source.read(path)
    if (typeof found === 'object') files[path] = found.bytes
  }
  return files
}

function longer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${new TextDecoder().decode(bytes)}\nAnd mind the zebras.\n`)
}

function middle<T>(all: readonly T[]): T {
  return all[Math.floor(all.length / 2)] as T
}
