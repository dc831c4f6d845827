import type { Tokens } from 'marked'
import { make } from '../dom.js'
import { texts } from '../texts.js'

/** Longer texts are shown unrendered: rendering them would block the page. */
const MAX_LENGTH = 200_000
const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a img em strong del table thead tbody tr th td'.split(' ')
const ATTRIBUTES = ['href', 'src', 'alt', 'title', 'align', 'start']

export interface MarkdownOptions {
  /** Whether the skill has a file at this path. */
  hasFile(path: string): boolean
  openFile(path: string): void
}

/**
 * Renders untrusted Markdown. HTML in it is shown as text, and the output is sanitized. Links open in a new tab, or open a file of the
 * skill. Only images with `data:` URLs are shown.
 */
export async function renderMarkdown(text: string, options: MarkdownOptions): Promise<Node> {
  if (text.length > MAX_LENGTH) return make('pre', {}, text)
  const [{ Marked }, { default: createPurifier }] = await Promise.all([import('marked'), import('dompurify')])
  const marked = new Marked({
    renderer: {
      html: token => escapeHtml(token),
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      heading({ tokens, depth }) {
        const level = Math.min(6, depth + 2)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
      },
    },
  })
  const purifier = createPurifier(window)
  // An image is requested as soon as it is inserted, so its `src` is removed before.
  purifier.addHook('afterSanitizeAttributes', node => {
    if (node.nodeName === 'IMG' && !/^data:image\//i.test(node.getAttribute('src') ?? '')) node.removeAttribute('src')
  })
  const content = purifier.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  replaceLinks(content, options)
  replaceImages(content)
  for (const table of content.querySelectorAll('table')) {
    const frame = make('div', { class: 'scroll', tabindex: '0' })
    table.replaceWith(frame)
    frame.append(table)
  }
  // Scrollable elements must be reachable with the keyboard.
  for (const code of content.querySelectorAll('pre')) code.tabIndex = 0
  return content
}

function escapeHtml({ text, block }: Tokens.HTML | Tokens.Tag): string {
  const escaped = text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return block ? `<p>${escaped.replaceAll('\n', '<br>')}</p>` : escaped
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
  for (const image of content.querySelectorAll('img:not([src])'))
    image.replaceWith(make('em', { class: 'missing-image' }, texts.imageNotLoaded(image.getAttribute('alt') ?? '')))
}
