import { readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../../docs/', import.meta.url)

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` in docs/measured.md. */
export function writeSection(name: string, text: string): void {
  const file = new URL('measured.md', folder)
  const before = readFileSync(file, 'utf8')
  const section = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!section.test(before)) throw new Error(`docs/measured.md has no section <!-- ${name} -->`)
  writeFileSync(
    file,
    before.replace(section, (_, open: string, close: string) => `${open}\n${text}\n\n${close}`),
  )
}

export function writeFigure(name: string, svg: string): void {
  writeFileSync(new URL(name, folder), svg)
}
