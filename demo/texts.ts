import type { FirstTexts } from './texts-en.js'
import type { MoreTexts } from './texts-en-more.js'

/** Each language has two files: the texts of the first screen, and the rest. Only the selected language is loaded. */
const load = {
  en: { first: () => import('./texts-en.js'), more: () => import('./texts-en-more.js') },
  zh: { first: () => import('./texts-zh.js'), more: () => import('./texts-zh-more.js') },
} as const

export type Language = keyof typeof load

/** The page's texts. `loadTexts` sets those of the first screen, `loadMoreTexts` the rest. */
export let texts: FirstTexts & MoreTexts
export let language: Language = 'en'
let hasMore = false

/** Switches the page to a language. */
export async function loadTexts(next: Language): Promise<void> {
  const [first, more] = await Promise.all([
    load[next].first(),
    hasMore ? load[next].more() : undefined,
  ])
  texts = { ...first.default, ...more?.default } as FirstTexts & MoreTexts
  language = next
  document.documentElement.lang = next === 'zh' ? 'zh-Hans' : next
}

/** Loads the texts of the parts that are not on the first screen. */
export async function loadMoreTexts(): Promise<void> {
  if (hasMore) return
  const { default: more } = await load[language].more()
  texts = { ...texts, ...more }
  hasMore = true
}
