import { byId, make } from './dom.js'
import { DOCS, GITHUB, KEYS } from './first-paint.js'
import { REPOSITORIES } from './library/repositories.js'
import { language, texts } from './texts.js'
import { LISTED_VIEWS, viewHash } from './url.js'

/** Writes the texts of index.html in the current language. */
export function writeLayout(): void {
  const write = (id: string, ...content: readonly (Node | string)[]): HTMLElement => {
    const element = byId(id, HTMLElement)
    element.replaceChildren(...content)
    return element
  }
  write(
    'nav',
    ...LISTED_VIEWS.map(view => make('a', { href: viewHash(view), 'data-view': view }, texts.nav[view])),
  ).setAttribute('aria-label', texts.nav.label)
  write('open-library', texts.openLibrary)
  write('copy-link', texts.copyLink)
  write('copied')
  write('language', texts.otherLanguage).lang = language === 'en' ? 'zh-Hans' : 'en'
  write('sentence', make('h2', {}, ...texts.sentence.split('|').flatMap(part => [part, make('wbr')])))
  write('tagline', texts.tagline)
  write('copy-install', texts.copy).setAttribute('aria-label', texts.copyInstall)
  const links = [
    ['GitHub', GITHUB],
    [texts.links.docs, DOCS],
    ['npm', 'https://www.npmjs.com/package/skillshelf'],
  ].map(([name = '', href]) => make('a', { href, rel: 'noopener noreferrer' }, name))
  write('links', ...links.map(link => link.cloneNode(true))).setAttribute('aria-label', texts.links.label)
  write('start', ...links.slice(0, 2))
  write('question', make('label', { for: 'message' }, texts.question))
  const repositories = REPOSITORIES.slice(0, 3).map(name =>
    make('button', { type: 'button', class: 'chip', 'data-repository': name, translate: 'no', lang: 'en' }, name),
  )
  write('repositories', make('p', {}, texts.repositories), make('div', { class: 'chips' }, ...repositories))
  write('shortcuts', ...shortcuts())
  write('legend', ...legend())
  byId('message', HTMLInputElement).placeholder = texts.placeholder
  byId('search', HTMLElement).setAttribute('aria-label', texts.search)
  byId('examples', HTMLElement).setAttribute('aria-label', texts.examples)
}

/** Marks the link of the open view in the navigation. */
export function markView(view: string | undefined): void {
  for (const link of byId('nav', HTMLElement).querySelectorAll('a')) {
    if (link.dataset['view'] === view) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

function shortcuts(): (Node | string)[] {
  return Object.entries(KEYS).flatMap(([action, keys]) => [
    make(
      'span',
      {},
      ...keys.split(' ').flatMap(key => [make('kbd', {}, key), ' ']),
      texts.shortcuts[action as keyof typeof KEYS],
    ),
    ' ',
  ])
}

function legend(): Node[] {
  const { title, meaning } = texts.legend
  return [make('summary', {}, title), make('p', { class: 'muted' }, meaning)]
}
