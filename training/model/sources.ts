/** Reads the public material that the model is trained on: ../shared/data beside the repository. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readRows } from '../../bench/rank/data.js'
import { parseSkill } from '../../src/skill/parse.js'

export interface SkillRow {
  id: number
  origin: string
  name: string
  description: string
  lang: string
  license: string
  inEval: boolean
  headings: string[]
}

export interface PhraseRow {
  phrase: string
  skill_id: number
  license: string
}

export interface TranslationRow {
  zh: string
  en: string
  /** Position of the line in its skill; absent for descriptions of commands. */
  kind?: 'description' | 'heading' | 'line'
}

export interface WordRow {
  lemma: string
  synonyms: string[]
  gloss: string
}

/** A SKILL.md of the public registry. */
export interface RawSkill {
  owner: string
  folder: string
  name: string
  description: string
  body: string
}

const data = new URL('../../../shared/data/', import.meta.url)

export function readData<T>(name: string): T[] {
  return readRows<T>(new URL(`${name}.jsonl.gz`, data))
}

/** Every SKILL.md of the registry, in the order of their paths. */
export async function readRegistry(): Promise<RawSkill[]> {
  const folder = mkdtempSync(join(tmpdir(), 'skillshelf-'))
  try {
    execFileSync('tar', ['xJf', new URL('clawhub-skillmd.tar.xz', data).pathname, '-C', folder])
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => basename(path).toLowerCase() === 'skill.md')
      .sort()
    const skills: RawSkill[] = []
    for (const path of paths) {
      const { metadata, body } = await parseSkill(readFileSync(join(folder, path)), {
        folder: dirname(path),
      })
      skills.push({
        owner: dirname(path).split('/')[0] as string,
        folder: basename(dirname(path)),
        name: metadata.name,
        description: metadata.description,
        body,
      })
    }
    return skills
  } finally {
    rmSync(folder, { recursive: true })
  }
}
