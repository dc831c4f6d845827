export const DIALECTS = ['spec', 'tokendance', 'openseed', 'manusx', 'omniemployee', 'agent-core'] as const
export type Dialect = (typeof DIALECTS)[number]
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

/** The texts of one language for `skillshelf new`. */
export interface TemplateTexts {
  description(title: string): string
  whenToUse(title: string): string
  /** The instructions, with the sections and folders of the dialect. */
  body(skill: NewSkill): string
  reference: string
  forms: string
  asset: string
  script: string
  triggers(title: string): { comment: string; yes: readonly string[]; no: string }
  readme(dialect: Dialect): string
  /** Parts of `description` and `body` that the author must replace. `validate` reports them. */
  placeholders: readonly string[]
}
