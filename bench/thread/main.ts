/**
 * Measures the first matches of a worker, warmed while idle and not: npm run bench:thread [-- --skills 1000 --rounds 9] [--docs]
 * `--docs` updates the table in docs/measured.md. Requires ../shared/data.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memory, pack } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { quantile } from '../rank/measure.js'
import { writeSection } from '../report/docs.js'
import { measureInProcess } from '../report/measure-in-process.js'
import { markdownTable } from '../report/table.js'
import { readSkillFiles } from '../speed/documents.js'

const { values } = parseArgs({
  options: {
    skills: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '9' },
    docs: { type: 'boolean', default: false },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'bench-thread-'))
try {
  const skills = memory(readSkillFiles(Number(values.skills)), { name: 'skills' })
  for await (const { path, bytes } of pack(skills, { embedder: await bundled() }))
    if (!path.includes('/')) await writeFile(join(folder, path), bytes)
  const script = new URL('one.ts', import.meta.url)
  const times: Record<string, number[][]> = { yes: [], no: [] }
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [warmed, rows] of Object.entries(times)) rows.push(measureInProcess<number[]>(script, folder, warmed))
  const median = (rows: readonly number[][], match: number): string =>
    quantile(
      rows.map(row => row[match] as number),
      0.5,
    ).toFixed(1)
  const table = markdownTable(
    ['warmed while idle', 'first match, ms', 'second, ms', 'third, ms'],
    Object.entries(times).map(([warmed, rows]) => [warmed, ...[0, 1, 2].map(match => median(rows, match))]),
  )
  console.log(table)
  if (values.docs) writeSection('thread', table)
} finally {
  await rm(folder, { recursive: true })
}
