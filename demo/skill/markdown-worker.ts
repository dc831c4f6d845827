import { parseMarkdown } from './markdown-parser.js'
import type { ParserReply } from './parse-in-worker.js'

/** The worker of parse-in-worker.ts: parses one text. */

addEventListener('message', ({ data }: MessageEvent<string>) => reply(parse(data)))
reply({ type: 'ready' })

function parse(text: string): ParserReply {
  try {
    return { type: 'html', html: parseMarkdown(text) }
  } catch {
    return { type: 'too-large' }
  }
}

function reply(message: ParserReply): void {
  postMessage(message)
}
