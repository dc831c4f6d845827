export const DIALECTS = ['spec', 'tokendance', 'openseed', 'manusx', 'omniemployee', 'agent-core'] as const
export type Dialect = (typeof DIALECTS)[number]
export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

export interface NewSkill {
  /** As it is written in the frontmatter. */
  name: string
  /** The name as words: `invoice check`. */
  title: string
  dialect: Dialect
  language: Language
  description?: string | undefined
}

/** What a language has to say in a new skill. */
export interface TemplateTexts {
  description(title: string): string
  whenToUse(title: string): string
  /** The instructions, with the dialect's own sections and folders. */
  body(skill: NewSkill): string
  reference: string
  forms: string
  asset: string
  script: string
  triggers(title: string): { comment: string; yes: readonly string[]; no: string }
  readme(dialect: Dialect): string
}
