import { type Host, startHost } from '../page/host.js'
import { markdownTable } from '../report/table.js'
import { runInChildProcess } from './child-process.js'
import { type Files, putOnDisk, type Skills, siteFiles } from './fixtures.js'
import type { Opening } from './types.js'

/** One source at one size. */
export interface OpeningRow extends Opening {
  place: string
}

/** A skill site needs a request per skill, so larger ones are not measured. */
const MAX_SITE_SKILLS = 1_000
const script = new URL('open-once.ts', import.meta.url)

/** Opens these skills from every source, each in a child process. */
export async function measureOpening(
  skills: Skills,
  log: (message: string) => void,
): Promise<OpeningRow[]> {
  const disk = await putOnDisk(skills)
  const host = await startHost()
  const rows: OpeningRow[] = []
  const add = async (place: string, measured: Promise<Opening>): Promise<void> => {
    const row = await measured
    rows.push({ place, ...row })
    log(`${place}, ${row.skills} skills: ${row.reads} reads, ${row.firstMs.toFixed(0)} ms`)
  }
  const local = (kind: string, at: string) => runInChildProcess<Opening>(script, kind, at)
  try {
    await add('folder, packed', local('folder', disk.packed))
    await add('folder', local('folder', disk.tree))
    await add('zip', local('zip', disk.zip))
    await add('http, packed', overHttp(host, 'packed', skills.packed))
    if (Object.keys(skills.tree).length <= MAX_SITE_SKILLS) {
      await add('skill site', overHttp(host, 'site', await siteFiles(skills.tree)))
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
    [
      'source',
      'skills',
      'reads',
      'bytes read, MB',
      'first open, ms',
      'second open, ms',
      'memory, MB',
    ],
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
  const heard = host.listen().then(({ traffic }) => ({ ...traffic }))
  const measured = await runInChildProcess<Opening>(script, 'http', `${host.origin}/${folder}/`)
  const { requests, ...bytes } = await heard
  return {
    ...measured,
    reads: requests,
    bytes: Object.values(bytes).reduce((sum, each) => sum + each, 0),
  }
}
