import { type Host, startHost } from '../page/host.js'
import { markdownTable } from '../report/table.js'
import { measureBeside } from './apart.js'
import { type Files, putOnDisk, type Skills, siteFiles } from './fixtures.js'
import type { Opening } from './place.js'

/** One place at one size. */
export interface OpeningRow extends Opening {
  place: string
}

/** A skill site takes a request for each skill: above this it is left out, as nobody would wait for it. */
const MOST_OF_SITE = 1_000
const script = new URL('one.ts', import.meta.url)

/** Opens these skills from every place, each in a process of its own. */
export async function measureOpening(skills: Skills, tell: (what: string) => void): Promise<OpeningRow[]> {
  const disk = await putOnDisk(skills)
  const host = await startHost()
  const rows: OpeningRow[] = []
  const add = async (place: string, measured: Promise<Opening>): Promise<void> => {
    const row = await measured
    rows.push({ place, ...row })
    tell(`${place}, ${row.skills} skills: ${row.reads} reads, ${row.firstMs.toFixed(0)} ms`)
  }
  const local = (kind: string, at: string) => measureBeside<Opening>(script, kind, at)
  try {
    await add('folder, packed', local('folder', disk.packed))
    await add('folder', local('folder', disk.tree))
    await add('zip', local('zip', disk.zip))
    await add('http, packed', overHttp(host, 'packed', skills.packed))
    if (Object.keys(skills.tree).length <= MOST_OF_SITE) {
      await add('skill site, v0.2', overHttp(host, 'v0.2', await siteFiles(skills.tree, 'v0.2')))
      await add('skill site, v0.1', overHttp(host, 'v0.1', await siteFiles(skills.tree, 'v0.1')))
    }
    await add('R2, packed', local('r2 packed', disk.bucket))
    await add('R2', local('r2 tree', disk.bucket))
    await add('R2, hand-written list and get', local('plain', disk.bucket))
  } finally {
    await host.close()
    await disk.remove()
  }
  return rows
}

export function openingTable(rows: readonly OpeningRow[]): string {
  return markdownTable(
    ['source', 'skills', 'reads', 'bytes read, MB', 'first open, ms', 'second open, ms', 'memory, MB'],
    rows.map(({ place, skills, reads, bytes, firstMs, againMs, held }) => [
      place,
      String(skills),
      String(reads),
      (bytes / 1e6).toFixed(2),
      firstMs.toFixed(0),
      againMs?.toFixed(0) ?? '-',
      (held / 1e6).toFixed(1),
    ]),
  )
}

async function overHttp(host: Host, folder: string, files: Files): Promise<Opening> {
  host.add(new Map(Object.entries(files).map(([path, bytes]) => [`${folder}/${path}`, bytes])))
  // What is asked for afterwards is not counted.
  const heard = host.listen().then(({ traffic }) => ({ ...traffic }))
  const measured = await measureBeside<Opening>(script, 'http', `${host.origin}/${folder}/`)
  const { requests, ...bytes } = await heard
  return { ...measured, reads: requests, bytes: Object.values(bytes).reduce((sum, each) => sum + each, 0) }
}
