/** Deadline in ms for one text. The slowest published skill takes a hundredth of it. */
const DEADLINE = 3_000

/** What the worker says: that it has loaded, then what became of the text. */
export type ParserReply = { type: 'ready' } | { type: 'html'; html: string } | { type: 'too-large' }

/**
 * Parses Markdown to HTML in a worker of its own, which is ended at the deadline: the page answers meanwhile, whatever the text.
 * @returns Unsanitized HTML; `undefined` if the text takes too long or is too large
 * @throws Error if the parser could not be loaded, or the reason of the signal
 */
export async function parseInWorker(
  text: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), {
    type: 'module',
    name: 'markdown',
  })
  const ended = new AbortController()
  try {
    return await new Promise((resolve, reject) => {
      const listen = { signal: ended.signal }
      worker.addEventListener('message', ({ data: reply }: MessageEvent<ParserReply>) => {
        if (reply.type !== 'ready') return resolve(reply.type === 'html' ? reply.html : undefined)
        // S6: a text has a deadline. It begins once the parser is there, because a network may be slow.
        const deadline = setTimeout(() => resolve(undefined), DEADLINE)
        ended.signal.addEventListener('abort', () => clearTimeout(deadline))
        worker.postMessage(text)
      })
      worker.addEventListener('error', event => {
        event.preventDefault()
        reject(new Error('The Markdown parser could not be loaded'))
      })
      signal?.addEventListener('abort', () => reject(signal.reason), listen)
    })
  } finally {
    ended.abort()
    worker.terminate()
  }
}
