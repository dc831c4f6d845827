import { readFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import type { Dialect } from './dialects.js'

export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

export interface NewSkill {
  /** Name in the frontmatter. */
  name: string
  /** The name as words, such as `invoice check`. */
  title: string
  dialect: Dialect
  language: Language
  description?: string | undefined
}

/** Dialects with a section "Files" of their own. The others have that of `spec`, `agent-core` has none. */
type FilesDialect = 'spec' | 'omniemployee' | 'tokendance'

interface Texts {
  description: string
  whenToUse: string
  placeholders: readonly string[]
  body: string
  sixSections: string
  filesHeading: string
  files: Readonly<Record<FilesDialect, string>>
  reference: string
  forms: string
  asset: string
  triggers: { comment: string; yes: string; no: string }
  readme: string
  dialectNote: string
  layouts: Readonly<Record<FilesDialect | 'agent-core', string>>
}

/** The source folder, which is part of the package. */
const FOLDER = new URL('../../../src/tools/cli/templates/', import.meta.url)

async function readTexts(language: Language): Promise<Texts> {
  return parse(await readFile(new URL(`${language}.yaml`, FOLDER), 'utf8'))
}

/** Texts of a new skill that its author must replace. */
export async function readPlaceholders(): Promise<readonly string[]> {
  const texts = await Promise.all(LANGUAGES.map(readTexts))
  return ['author: your-name', ...texts.flatMap(({ placeholders }) => placeholders)]
}

/** The files of a new skill, by path in its folder. They are valid in the skill's dialect. */
export async function skillFiles(skill: NewSkill): Promise<Record<string, string>> {
  const { title, dialect, language } = skill
  const texts = await readTexts(language)
  const { triggers, reference, forms, asset } = texts
  const example = await readFile(new URL('example.py', FOLDER), 'utf8')
  const cases = [
    { message: fill(triggers.yes, { title }) },
    { message: triggers.no, skill: 'none' },
  ]
  const resources: Record<FilesDialect, Record<string, string>> = {
    spec: {
      'scripts/example.py': example,
      'references/REFERENCE.md': reference,
      'assets/report.md': asset,
    },
    omniemployee: { 'reference.md': reference, 'forms.md': forms, 'scripts/example.py': example },
    tokendance: {
      'resources/example.py': example,
      'resources/guide.md': reference,
      'resources/templates/report.md': asset,
    },
  }
  return {
    [fileName(dialect)]: `---\n${frontmatter(skill, texts)}---\n\n${instructions(skill, texts)}`,
    ...(dialect === 'agent-core' ? {} : resources[filesDialect(dialect)]),
    'triggers.yaml': `${triggers.comment}${stringify(cases, { lineWidth: 0 })}`,
  }
}

export async function folderReadme(dialect: Dialect, language: Language): Promise<string> {
  const { readme, dialectNote, layouts } = await readTexts(language)
  return fill(readme, {
    layout: layouts[dialect === 'agent-core' ? dialect : filesDialect(dialect)].trimEnd(),
    file: fileName(dialect),
    option: dialect === 'spec' ? '' : ` --dialect ${dialect}`,
    note: dialect === 'spec' || dialect === 'openseed' ? '' : fill(dialectNote, { dialect }),
  })
}

function instructions(
  { title, dialect }: NewSkill,
  { body, sixSections, filesHeading, files }: Texts,
): string {
  const titles = { title, Title: title.charAt(0).toUpperCase() + title.slice(1) }
  if (dialect === 'tokendance') return fill(sixSections, { ...titles, files: files.tokendance })
  const section =
    dialect === 'agent-core' ? '' : `\n${filesHeading}\n\n${files[filesDialect(dialect)]}`
  return fill(body, { ...titles, files: section })
}

function frontmatter({ name, title, dialect, ...skill }: NewSkill, texts: Texts): string {
  const description = skill.description ?? fill(texts.description, { title })
  const tags = [...new Set(title.toLowerCase().split(/\s+/))].filter(Boolean).slice(0, 5)
  const common = { name, description }
  const fields: Partial<Record<Dialect, Record<string, unknown>>> = {
    spec: { ...common, metadata: { author: 'your-name', version: '1.0.0' } },
    omniemployee: { ...common, when_to_use: fill(texts.whenToUse, { title }), tags },
    tokendance: {
      name,
      display_name: title,
      description,
      version: '1.0.0',
      author: 'your-name',
      tags,
      allowed_tools: ['read_file'],
      max_iterations: 30,
      timeout: 300,
      enabled: true,
    },
  }
  return stringify(fields[dialect] ?? common, { lineWidth: 0, collectionStyle: 'any' })
}

function filesDialect(dialect: Dialect): FilesDialect {
  return dialect === 'omniemployee' || dialect === 'tokendance' ? dialect : 'spec'
}

function fileName(dialect: Dialect): string {
  return dialect === 'agent-core' ? 'skill.md' : 'SKILL.md'
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
