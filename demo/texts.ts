import type { FirstTexts } from './texts-en.js'
import type { MoreTexts } from './texts-en-more.js'

/** Each language is in two files: what is said from the start, and the rest. The language that is not used is not loaded. */
const load = {
  en: { first: () => import('./texts-en.js'), more: () => import('./texts-en-more.js') },
  zh: { first: () => import('./texts-zh.js'), more: () => import('./texts-zh-more.js') },
} as const

export type Language = keyof typeof load

/** What the page says, in the language it speaks now: the first part after `speak`, the rest after `speakMore`. */
export let texts: FirstTexts & MoreTexts
export let language: Language = 'en'
let hasMore = false

/** Makes the page speak a language. */
export async function speak(next: Language): Promise<void> {
  const [first, more] = await Promise.all([load[next].first(), hasMore ? load[next].more() : undefined])
  texts = { ...first.default, ...more?.default } as FirstTexts & MoreTexts
  language = next
  document.documentElement.lang = next === 'zh' ? 'zh-Hans' : next
}

/** For whatever is opened later. */
export async function speakMore(): Promise<void> {
  if (hasMore) return
  const { default: more } = await load[language].more()
  texts = { ...texts, ...more }
  hasMore = true
}
