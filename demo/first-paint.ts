import { REPOSITORIES } from './library/repositories.js'
import type first from './texts-en-first.js'
import { LEADS, VIEWS, viewHash } from './view-names.js'

const GITHUB = 'https://github.com/skillshelf/skillshelf'
const NPM = 'https://www.npmjs.com/package/skillshelf'
const DOCS = 'https://skillshelf.github.io/skillshelf/'

/** Keys of the search box by what they do. */
const KEYS = { search: ['/'], select: ['↑', '↓'], open: ['Enter'], close: ['Esc'] } as const

/** The texts of one language. */
type Texts = Written<typeof first>
type Written<Value> = {
  readonly [Key in keyof Value]: Value[Key] extends string ? string : Written<Value[Key]>
}

/** Makes an element: for the document, as the built page holds it, or in the browser. */
export type Make<Made> = (
  tag: 'a' | 'button' | 'div' | 'h2' | 'kbd' | 'label' | 'p' | 'span' | 'summary' | 'wbr',
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Made | string)[]
) => Made

/**
 * What stands in the elements of index.html at the first paint, by their id. first-paint-plugin.ts writes it into the document in English, and
 * layout.ts in the language of the reader.
 */
export function firstPaint<Made>(
  texts: Texts,
  make: Make<Made>,
): Record<string, readonly (Made | string)[]> {
  const links = (): Made[] =>
    Object.entries({ GitHub: GITHUB, [texts.links.docs]: DOCS, npm: NPM }).map(([name, href]) =>
      make('a', { href, rel: 'noopener noreferrer' }, name),
    )
  const repositories = REPOSITORIES.slice(0, 3).map(name =>
    make(
      'button',
      { type: 'button', class: 'chip', 'data-repository': name, translate: 'no', lang: 'en' },
      name,
    ),
  )
  return {
    nav: VIEWS.map(view => make('a', { href: viewHash(view), 'data-view': view }, texts.nav[view])),
    'open-library': [texts.openLibrary],
    'copy-link': [texts.copyLink],
    copied: [],
    language: [texts.otherLanguage],
    sentence: [
      make('h2', {}, ...texts.sentence.split('|').flatMap(part => [part, make('wbr', {})])),
    ],
    // Small screens hide what follows the bar.
    tagline: texts.tagline.split('|').map(part => make('span', {}, part)),
    'copy-install': [texts.copy],
    start: links().slice(0, 2),
    links: links(),
    repositories: [
      make('p', {}, texts.repositories),
      make('div', { class: 'chips' }, ...repositories),
    ],
    checks: LEADS.map(view => {
      const [title = '', meaning = ''] = texts.checks[view]
      return make(
        'a',
        { href: viewHash(view) },
        make('span', {}, title),
        ' ',
        make('span', {}, meaning),
      )
    }),
    legend: [
      make('summary', {}, texts.legend.title),
      make('p', { class: 'muted' }, texts.legend.meaning),
    ],
    question: [make('label', { for: 'message' }, texts.question)],
    shortcuts: Object.entries(KEYS).flatMap(([action, keys]) => [
      make(
        'span',
        {},
        ...keys.map(key => make('kbd', {}, key)),
        ` ${texts.shortcuts[action as keyof typeof KEYS]}`,
      ),
      ' ',
    ]),
  }
}
