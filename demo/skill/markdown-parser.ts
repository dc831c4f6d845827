import { Marked, Tokenizer, type Tokens } from 'marked'

/** Elements of a text that is rendered. The longest published skills have 3,000. */
export const MAX_ELEMENTS = 20_000
/**
 * Lists, quotes and emphasis inside each other. Memory grows with each level, and so does the time of the browser. A published skill indents
 * each line more than the line before it, 60 levels deep.
 */
const MAX_DEPTH = 150
/** Characters of all link targets and titles together: a short text can name a long definition many times. */
const MAX_TARGETS = 1_000_000

/**
 * Parses Markdown to HTML, in which HTML of the text is escaped. Its links and their protocols are as in the text: sanitize it.
 *
 * Nothing limits the time: run it where it can be stopped. The limits here are those of memory, because a browser ends the whole tab when
 * a worker has none left, and those of the elements that the page has to lay out.
 * @throws Error if the text is nested too deeply or has too many elements
 */
export function parseMarkdown(text: string): string {
  let targets = 0
  /** Returns `false`: marked renders the token. */
  const countTarget = ({ href, title }: Tokens.Link | Tokens.Image): string | false => {
    targets += href.length + (title?.length ?? 0)
    limit(targets, MAX_TARGETS)
    return false
  }
  const marked = new Marked({
    renderer: {
      html: token => escapeHtml(token),
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      heading({ tokens, depth }) {
        const level = Math.min(6, depth + 2)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
      },
      link: countTarget,
      image: countTarget,
    },
  })
  marked.setOptions({ tokenizer: new LimitedTokenizer() })
  const html = marked.parser(marked.lexer(text))
  limit(countElements(html), MAX_ELEMENTS)
  return html
}

/** S6: the parser of marked, with limits to what it keeps in memory. */
class LimitedTokenizer extends Tokenizer {
  #depth = 0
  #cells = 0

  override blockquote(src: string) {
    return this.#nested(() => super.blockquote(src))
  }

  override list(src: string) {
    return this.#nested(() => super.list(src))
  }

  override emStrong(src: string, masked: string, before?: string) {
    return this.#nested(() => super.emStrong(src, masked, before))
  }

  override del(src: string, masked: string, before?: string) {
    return this.#nested(() => super.del(src, masked, before))
  }

  override link(src: string) {
    return this.#nested(() => super.link(src))
  }

  override reflink(src: string, links: Parameters<Tokenizer['reflink']>[1]) {
    return this.#nested(() => super.reflink(src, links))
  }

  /** Every row is filled up to the number of columns, so that a short text makes many cells. */
  override table(src: string) {
    const [, head = '', , body = ''] = this.rules.block.table.exec(src) ?? []
    const columns = head.split('|').length
    const rows = body.split('\n').length
    this.#cells += head === '' ? 0 : columns * rows
    limit(this.#cells, MAX_ELEMENTS)
    return super.table(src)
  }

  #nested<Token>(parse: () => Token): Token {
    this.#depth++
    limit(this.#depth, MAX_DEPTH)
    try {
      return parse()
    } finally {
      this.#depth--
    }
  }
}

function limit(amount: number, most: number): void {
  if (amount > most) throw new Error('Too large to render')
}

/** Text has no `<` that is not escaped, so that each is a tag. */
function countElements(html: string): number {
  let elements = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    if (html[at + 1] !== '/') elements++
  }
  return elements
}

function escapeHtml({ text, block }: Tokens.HTML | Tokens.Tag): string {
  const escaped = text
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
  return block ? `<p>${escaped.replaceAll('\n', '<br>')}</p>` : escaped
}
