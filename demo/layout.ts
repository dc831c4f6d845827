import { byId, make } from './dom.js'
import { firstPaint } from './first-paint.js'
import { language, texts } from './texts.js'

/** Writes the texts of index.html in the current language. */
export function writeLayout(): void {
  for (const [id, content] of Object.entries(firstPaint<HTMLElement>(texts, make))) {
    const element = byId(id, HTMLElement)
    const written = element.cloneNode() as HTMLElement
    written.append(...content)
    // What the document has already is not laid out again.
    if (!written.isEqualNode(element)) element.replaceChildren(...written.childNodes)
  }
  const labels = {
    nav: texts.nav.label,
    'copy-install': texts.copyInstall,
    links: texts.links.label,
    search: texts.search,
    examples: texts.examples,
  }
  for (const [id, label] of Object.entries(labels)) {
    byId(id, HTMLElement).setAttribute('aria-label', label)
  }
  byId('language', HTMLElement).lang = language === 'en' ? 'zh-Hans' : 'en'
  byId('message', HTMLInputElement).placeholder = texts.placeholder
  // A view has a title of its own.
  if (!document.body.classList.contains('has-details')) document.title = texts.title
}

/** Marks the link of the open view in the navigation. */
export function markView(view: string | undefined): void {
  const nav = byId('nav', HTMLElement)
  for (const link of nav.querySelectorAll('a')) {
    if (link.dataset['view'] === view) {
      link.setAttribute('aria-current', 'page')
      // A narrow window shows a part of the row.
      nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2
    } else link.removeAttribute('aria-current')
  }
}
