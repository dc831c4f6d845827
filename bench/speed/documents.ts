import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { splitFrontmatter } from '../../src/skill/frontmatter.js'
import { type PoolSkill, readRows } from '../rank/data.js'

export interface BenchDocument {
  name: string
  description: string
  body: string
}

const data = new URL('../../../shared/data/', import.meta.url)

/** The first `count` SKILL.md files of a public registry, by path. */
export function readSkillFiles(count: number): Record<string, Uint8Array<ArrayBuffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'skillshelf-'))
  try {
    execFileSync('tar', ['xJf', new URL('clawhub-skillmd.tar.xz', data).pathname, '-C', folder])
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => basename(path).toLowerCase() === 'skill.md')
      .sort()
      .slice(0, count)
    return Object.fromEntries(
      files.map(file => [file, new Uint8Array(readFileSync(join(folder, file)))]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Real skills, the same for every peer: whole SKILL.md files (over 10,000), then those of the trigger pools, then names and descriptions, then the same again. */
export function readDocuments(count: number): BenchDocument[] {
  const documents = Object.values(readSkillFiles(count)).map((bytes): BenchDocument => {
    const { frontmatter, body } = splitFrontmatter(new TextDecoder().decode(bytes))
    const field = (key: string): string =>
      new RegExp(`^${key}:[ \\t]*(.+)$`, 'm').exec(frontmatter)?.[1] ?? ''
    return { name: field('name'), description: field('description'), body }
  })
  if (documents.length < count) {
    const pools = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
    for (const { name, description, body } of pools.slice(0, count - documents.length)) {
      documents.push({ name, description: description ?? '', body: body ?? '' })
    }
  }
  if (documents.length < count) {
    const rows = readRows<{ name: string; description: string; headings: string[] }>(
      new URL('skills-meta.jsonl.gz', data),
    )
    for (const { name, description, headings } of rows.slice(0, count - documents.length)) {
      documents.push({ name, description, body: headings.join('\n') })
    }
  }
  for (let index = 0; documents.length < count; index++) {
    documents.push(documents[index] as BenchDocument)
  }
  return documents
}

/** Messages of the dev set, by kind. */
export const messages = {
  short: [
    'make slides',
    'review my code',
    'deploy to cloudflare',
    'parse a pdf',
    'send an email',
    'summarize this video',
  ],
  long: [
    'I need to review a pull request and leave comments about the security of this change before we merge it tomorrow',
    'Can you look at the sales spreadsheet from last quarter and tell me which region grew the most and why',
    'We are moving our database to a new server and I want a checklist so that nothing breaks for the customers',
  ],
  chinese: [
    '帮我调研一下人工智能市场的竞争格局',
    '写一封邮件向客户道歉',
    '把这个表格转换成图表并分析趋势',
  ],
}
