import { stringify } from 'yaml'
import type { Dialect, Language, NewSkill, TemplateTexts } from './template-types.js'
import { english } from './templates-en.js'
import { chinese } from './templates-zh.js'

const TEXTS: Readonly<Record<Language, TemplateTexts>> = { en: english, zh: chinese }

/** Texts of a new skill that its author must replace. */
export const PLACEHOLDERS: readonly string[] = [
  'author: your-name',
  ...Object.values(TEXTS).flatMap(({ placeholders }) => placeholders),
]

/** The files of a new skill, by path in its folder. They are valid in the skill's dialect. */
export function skillFiles(skill: NewSkill): Record<string, string> {
  const texts = TEXTS[skill.language]
  const text = `---\n${frontmatter(skill, texts)}---\n\n${texts.body(skill)}`
  return {
    [skill.dialect === 'agent-core' ? 'skill.md' : 'SKILL.md']: text,
    ...resources(skill.dialect, texts),
    'triggers.yaml': triggers(skill, texts),
  }
}

/** The README of a folder of skills. */
export function folderReadme(dialect: Dialect, language: Language): string {
  return TEXTS[language].readme(dialect)
}

function frontmatter({ name, title, dialect, description }: NewSkill, texts: TemplateTexts): string {
  const common = { name, description: description ?? texts.description(title) }
  const fields: Record<Dialect, Record<string, unknown>> = {
    spec: { ...common, metadata: { author: 'your-name', version: '1.0.0' } },
    openseed: common,
    manusx: common,
    omniemployee: { ...common, when_to_use: texts.whenToUse(title), tags: tagsOf(title) },
    'agent-core': common,
    tokendance: {
      name,
      display_name: title,
      description: common.description,
      version: '1.0.0',
      author: 'your-name',
      tags: tagsOf(title),
      allowed_tools: ['read_file'],
      max_iterations: 30,
      timeout: 300,
      enabled: true,
    },
  }
  return stringify(fields[dialect], { lineWidth: 0, collectionStyle: 'any' })
}

/** Example files in the folders that the dialect's tools read. */
function resources(dialect: Dialect, texts: TemplateTexts): Record<string, string> {
  const { reference, forms, asset, script } = texts
  if (dialect === 'agent-core') return {}
  if (dialect === 'tokendance')
    return { 'resources/example.py': script, 'resources/guide.md': reference, 'resources/templates/report.md': asset }
  if (dialect === 'omniemployee') return { 'reference.md': reference, 'forms.md': forms, 'scripts/example.py': script }
  return { 'scripts/example.py': script, 'references/REFERENCE.md': reference, 'assets/report.md': asset }
}

function triggers({ title }: NewSkill, texts: TemplateTexts): string {
  const { comment, yes, no } = texts.triggers(title)
  const lines = comment.split('\n').map(line => `# ${line}`.trimEnd())
  return `${lines.join('\n')}\n${stringify([...yes.map(message => ({ message })), { message: no, skill: 'none' }], { lineWidth: 0 })}`
}

function tagsOf(title: string): string[] {
  return [...new Set(title.toLowerCase().split(/\s+/))].filter(Boolean).slice(0, 5)
}
