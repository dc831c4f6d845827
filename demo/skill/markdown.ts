import type { DOMPurify } from 'dompurify'
import { make } from '../dom.js'
import { showHiddenIn } from '../hidden-text.js'
import { texts } from '../texts.js'
import { parseInWorker } from './parse-in-worker.js'

/** Longer texts are shown as they are. */
const MAX_LENGTH = 200_000
const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a img em strong del table thead tbody tr th td'.split(
    ' ',
  )
const ATTRIBUTES = ['href', 'src', 'alt', 'title', 'align', 'start']
/** Images that cannot refer to anything outside of them, in contrast to SVG. */
const DATA_IMAGE = /^data:image\/(?!svg)/i

export interface MarkdownOptions {
  /** Whether the skill has a file at this path. */
  hasFile(path: string): boolean
  openFile(path: string): void
  /** Ends the rendering when the text is no longer needed. */
  signal?: AbortSignal
}

/**
 * Renders untrusted Markdown. HTML in it is shown as text, and the output is sanitized. Links open in a new tab, or open a file of the
 * skill. Only images with `data:` URLs are shown. A text that is too large, or takes too long, is shown as it is.
 */
export async function renderMarkdown(text: string, options: MarkdownOptions): Promise<Node> {
  if (text.length > MAX_LENGTH) return plainText(text, texts.markdown.tooLarge)
  try {
    const [html, { default: createPurifier }] = await Promise.all([
      parseInWorker(text, options.signal),
      import('dompurify'),
    ])
    if (html === undefined) return plainText(text, texts.markdown.tooLarge)
    return render(sanitize(html, createPurifier(window)), options)
  } catch {
    options.signal?.throwIfAborted()
    return plainText(text, texts.markdown.failed)
  }
}

function plainText(text: string, reason: string): DocumentFragment {
  const content = new DocumentFragment()
  content.append(
    make('p', { class: 'muted' }, reason),
    make('pre', { tabindex: '0', dir: 'auto' }, text),
  )
  return content
}

function sanitize(html: string, purifier: DOMPurify): DocumentFragment {
  // An image is requested as soon as it is inserted, so its `src` is removed before.
  purifier.addHook('afterSanitizeAttributes', node => {
    if (node.nodeName === 'IMG' && !DATA_IMAGE.test(node.getAttribute('src') ?? '')) {
      node.removeAttribute('src')
    }
  })
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}

/** Turns sanitized HTML into the content of the page. */
function render(content: DocumentFragment, options: MarkdownOptions): DocumentFragment {
  replaceLinks(content, options)
  replaceImages(content)
  for (const table of content.querySelectorAll('table')) {
    const frame = make('div', { class: 'scroll', tabindex: '0' })
    table.replaceWith(frame)
    frame.append(table)
  }
  showHiddenIn(content)
  // Scrollable elements must be reachable with the keyboard.
  for (const code of content.querySelectorAll('pre')) code.tabIndex = 0
  return content
}

function replaceLinks(content: DocumentFragment, { hasFile, openFile }: MarkdownOptions): void {
  for (const link of content.querySelectorAll('a')) {
    const target = link.getAttribute('href') ?? ''
    const path = parsePath(target)
    if (/^(?:https?|mailto):/i.test(target)) {
      link.target = '_blank'
      link.rel = 'noopener noreferrer nofollow'
    } else if (path !== undefined && hasFile(path)) {
      const button = make('button', { type: 'button', class: 'link' }, ...link.childNodes)
      button.addEventListener('click', () => openFile(path))
      link.replaceWith(button)
    } else link.replaceWith(...link.childNodes)
  }
}

function parsePath(target: string): string | undefined {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/, '').replace(/^\.\//, ''))
  } catch {
    return undefined
  }
}

function replaceImages(content: DocumentFragment): void {
  for (const image of content.querySelectorAll('img:not([src])')) {
    image.replaceWith(
      make('em', { class: 'missing-image' }, texts.imageNotLoaded(image.getAttribute('alt') ?? '')),
    )
  }
}
