import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { parseSkill } from '../../src/skill/parse.js'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../rank/data.js'
import { readModel } from '../rank/model.js'

const DATA = '../shared/data/'

/** A skill of the corpus. */
export interface CorpusSkill extends SegmentDocument {
  id: string
  origin: string
}

/** The 22,844 real skills of ../shared/data. */
export async function readCorpus(): Promise<CorpusSkill[]> {
  const pools = readRows<PoolSkill>(`${DATA}triggers-dev-pools.jsonl.gz`)
  const skills = pools.map(
    ({ id, origin, name, description, body }): CorpusSkill => ({
      id: `${origin}/${id}`,
      origin,
      name,
      description: description ?? '',
      tags: [],
      body: body ?? '',
    }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
  try {
    execFileSync('tar', ['xJf', `${DATA}clawhub-skillmd.tar.xz`, '-C', folder])
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => file.toLowerCase().endsWith('skill.md'))
      .sort()
    for (const file of files) {
      const path = file.replace(/\/[^/]*$/, '')
      const { metadata, body } = await parseSkill(
        new Uint8Array(readFileSync(join(folder, file))),
        { folder: path },
      )
      skills.push({
        ...metadata,
        id: `clawhub/${path}`,
        origin: 'clawhub',
        tags: metadata.tags ?? [],
        body,
      })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return skills
}

/** The messages of the dev set, with the library that each was written for. */
export function readMessages(): TriggerQuery[] {
  const pools = groupBy(
    readRows<PoolSkill>(`${DATA}triggers-dev-pools.jsonl.gz`),
    ({ origin }) => origin,
  )
  return readRows<TriggerQuery>(`${DATA}triggers-dev.jsonl.gz`).filter(
    ({ should_trigger, tier, origin }) =>
      should_trigger && tier === 'good' && (pools.get(origin)?.length ?? 0) >= 10,
  )
}

/** One segment of all skills, with vectors of the bundled model. */
export function buildSegment(skills: readonly SegmentDocument[]): Uint8Array<ArrayBuffer> {
  const builder = createSegmentBuilder({ embedder: readModel() })
  for (const skill of skills) builder.add(skill)
  return builder.finish()
}
