import { byId, make } from './dom.js'
import { VIEWS, viewHash } from './route.js'
import { language, texts } from './texts.js'

/** Writes what stands on the page whatever is open, in the language that it speaks now. */
export function writeFrame(): void {
  const say = (id: string, ...content: readonly (Node | string)[]): HTMLElement => {
    const element = byId(id, HTMLElement)
    element.replaceChildren(...content)
    return element
  }
  say(
    'nav',
    ...VIEWS.map(view => make('a', { href: viewHash(view), 'data-view': view }, texts.nav[view])),
  ).setAttribute('aria-label', texts.nav.label)
  say('open', texts.openLibrary)
  say('language', texts.otherLanguage).lang = language === 'en' ? 'zh-Hans' : 'en'
  say('question', make('label', { for: 'message' }, texts.question))
  say('tagline', texts.tagline)
  say('keys', ...keys())
  say('legend', ...legend())
  byId('message', HTMLInputElement).placeholder = texts.placeholder
  byId('finder', HTMLElement).setAttribute('aria-label', texts.finder)
  byId('examples', HTMLElement).setAttribute('aria-label', texts.examples)
}

/** Marks the view that is open. */
export function markView(view: string | undefined): void {
  for (const link of byId('nav', HTMLElement).querySelectorAll('a')) {
    if (link.dataset['view'] === view) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

function keys(): (Node | string)[] {
  const { write, choose, open, close } = texts.keys
  const hints: readonly (readonly [string, ...string[]])[] = [
    [write, '/'],
    [choose, '↑', '↓'],
    [open, 'Enter'],
    [close, 'Esc'],
  ]
  return hints.flatMap(([does, ...names]) => [
    make('span', {}, ...names.flatMap(name => [make('kbd', {}, name), ' ']), does),
    ' ',
  ])
}

function legend(): Node[] {
  const { title, score, scoreMeans, confidence, confidenceMeans } = texts.legend
  return [
    make('summary', {}, title),
    make(
      'dl',
      {},
      make('dt', {}, score),
      make('dd', {}, scoreMeans),
      make('dt', {}, confidence),
      make('dd', {}, confidenceMeans),
    ),
  ]
}
