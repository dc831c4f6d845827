import { startHost } from '../page/host.js'
import type { Network } from '../page/visit.js'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { type BrowserProfile, createProfile } from './browser-profile.js'
import { type Files, type Skills, siteFiles } from './fixtures.js'
import { buildKeptPage } from './kept-page.js'
import type { OpeningRow } from './opening.js'

/** Skills in IndexedDB of Chromium, and the same skills over a network. Times in ms, sizes in bytes. */
export interface KeptRow {
  skills: number
  installMs: number
  stored: { files: number; bytes: number }
  /** In a new browser. */
  coldMs: number
  /** Again in the same page. */
  warmMs: number
  /** Memory of the open library. */
  held: number
  reads: number
  bytes: number
  /** After a reload without a network, from the start of loading. */
  offline?: { openMs: number; matchMs: number; atMs: number }
  /** From a URL, in an empty profile. */
  fetched: { how: string; ms: number }[]
}

const SLOW: Network = { rate: 10_000_000, latency: 40 }

/** @param fetches Whether to measure the network too. */
export async function measureKept(
  { tree, packed, zip }: Skills,
  { rounds, fetches }: { rounds: number; fetches: boolean },
): Promise<KeptRow> {
  const host = await startHost()
  const put = (folder: string, files: Files): void =>
    host.add(new Map(Object.entries(files).map(([path, bytes]) => [`${folder}/${path}`, bytes])))
  host.add(await buildKeptPage())
  host.add(new Map([['skills.zip', zip]]))
  const address = `${host.origin}/kept.html`
  const profile = await createProfile(address)
  try {
    const row = await kept(profile, host.origin, rounds)
    if (!fetches) return row
    row.offline = await offline(profile, rounds)
    put('packed', packed)
    put('site', await siteFiles(tree))
    for (const [folder, what] of [
      ['packed', 'packed'],
      ['site', 'skill site'],
    ] as const) {
      for (const network of [undefined, SLOW]) {
        const how = `${what}, ${network ? `${network.rate / 1e6} Mbit/s, ${network.latency} ms` : 'not throttled'}`
        row.fetched.push({
          how,
          ms: await fetched(address, `${host.origin}/${folder}/`, network, rounds),
        })
      }
    }
    return row
  } finally {
    await profile.remove()
    await host.close()
  }
}

async function kept(profile: BrowserProfile, origin: string, rounds: number): Promise<KeptRow> {
  const installed = await profile.visit(({ run }) => run('install', `${origin}/skills.zip`))
  const cold: number[] = []
  const warm: number[] = []
  let held = 0
  let last = { reads: 0, bytes: 0, skills: 0 }
  for (let round = 0; round < rounds; round++) {
    await profile.visit(async ({ run, held: heldNow }) => {
      cold.push((await run('open')).ms)
      await run('close')
      const before = await heldNow()
      for (let time = 0; time < rounds; time++) {
        const { ms, ...counts } = await run('open')
        warm.push(ms)
        last = counts
        if (time === 0) held = (await heldNow()) - before
        await run('close')
      }
    })
  }
  const { ms: installMs, files, bytes } = installed
  return {
    ...last,
    installMs,
    stored: { files, bytes },
    coldMs: quantile(cold, 0.5),
    warmMs: quantile(warm, 0.5),
    held,
    fetched: [],
  }
}

/** Loads the page and its skills without a network. */
async function offline(
  profile: BrowserProfile,
  rounds: number,
): Promise<NonNullable<KeptRow['offline']>> {
  await profile.visit(({ run }) => run('keepPage'))
  return profile.visit(async ({ context, page, run }) => {
    await context.setOffline(true)
    const all: NonNullable<KeptRow['offline']>[] = []
    for (let round = 0; round < rounds; round++) {
      await page.reload()
      all.push(await run('match'))
      await run('close')
    }
    const median = (of: (one: (typeof all)[number]) => number): number => quantile(all.map(of), 0.5)
    return {
      openMs: median(one => one.openMs),
      matchMs: median(one => one.matchMs),
      atMs: median(one => one.atMs),
    }
  })
}

async function fetched(
  page: string,
  address: string,
  network: Network | undefined,
  rounds: number,
): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const profile = await createProfile(page)
    try {
      await profile.visit(async ({ run, slow }) => {
        if (network) await slow(network)
        times.push((await run('fetch', address)).ms)
      })
    } finally {
      await profile.remove()
    }
  }
  return quantile(times, 0.5)
}

/** As a row of the table of all sources. */
export function openingOf({ skills, reads, bytes, coldMs, warmMs, held }: KeptRow): OpeningRow {
  return {
    place: 'IndexedDB, in Chromium',
    skills,
    reads,
    bytes,
    firstMs: coldMs,
    againMs: warmMs,
    held,
  }
}

export function keptTable({
  skills,
  installMs,
  stored,
  coldMs,
  warmMs,
  offline: without,
  fetched: all,
}: KeptRow): string {
  const rows = [
    [
      `install ${skills} skills from a zip: ${stored.files} files, ${(stored.bytes / 1e6).toFixed(1)} MB`,
      installMs,
    ],
    ['open after a browser start', coldMs],
    ['open again in the same browser', warmMs],
    ...(without
      ? [
          ['open after an offline reload', without.openMs],
          ['first match after that', without.matchMs],
          ['start of the offline reload to first match', without.atMs],
        ]
      : []),
  ] as [string, number][]
  return [
    markdownTable(
      ['IndexedDB', 'ms'],
      rows.map(([what, ms]) => [what, ms.toFixed(1)]),
    ),
    markdownTable(
      ['same skills, cold fetch', 'ms', 'IndexedDB open relative to it, %'],
      all.map(({ how, ms }) => [how, ms.toFixed(0), ((warmMs / ms) * 100).toFixed(1)]),
    ),
  ].join('\n\n')
}
