import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'

const data = new URL('../../../shared/data/', import.meta.url)
const PER_KIND = 400
/** Maximum characters. Longer files are data. */
const MAX_LENGTH = 60_000

/** Reads real texts by kind: SKILL.md files by their share of ideographs, other files by extension. */
export function readTexts(): Map<string, readonly string[]> {
  const kinds = new Map<string, string[]>()
  const add = (kind: string, text: string): void => {
    const texts = kinds.get(kind) ?? []
    kinds.set(kind, texts)
    if (texts.length < PER_KIND && text.length <= MAX_LENGTH) texts.push(text)
  }
  for (const text of filesOf('clawhub-skillmd.tar.xz', path => /skill\.md$/i.test(path))) {
    const share = (text.match(/\p{Script=Han}/gu)?.length ?? 0) / Math.max(1, text.length)
    add(
      share > 0.25 ? 'Chinese SKILL.md' : share < 0.01 ? 'English SKILL.md' : 'mixed SKILL.md',
      text,
    )
  }
  for (const extension of ['.py', '.js', '.ts', '.sh', '.json']) {
    for (const text of filesOf('clawhub-folders.tar.xz', path => extname(path) === extension)) {
      add(extension, text)
    }
  }
  return kinds
}

function filesOf(archive: string, wanted: (path: string) => boolean): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'skillshelf-'))
  try {
    execFileSync('tar', ['xJf', new URL(archive, data).pathname, '-C', folder])
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(wanted)
      .sort()
      .map(path => readFileSync(join(folder, path), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
