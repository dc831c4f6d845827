import { serveEmbedder } from '../../src/exports/thread.js'

/** Ways to die, or not to answer, by the first text. */
const ways: Record<string, () => void> = {
  crash: () => setTimeout(() => Promise.resolve().then(() => queueMicrotask(boom))),
  'self.close()': () => self.close(),
  busy() {
    for (;;) Math.random()
  },
  silence() {},
}

function boom(): never {
  throw new Error('out of memory')
}

serveEmbedder(({ id }: { id: string }) => async () => ({
  id,
  dimensions: 1,
  languages: 'all',
  async embed(texts, { onProgress } = {}) {
    const way = ways[texts[0] ?? '']
    if (!way) return Float32Array.from(texts, text => text.length)
    onProgress?.({ phase: 'embed', done: 0, total: texts.length })
    way()
    return new Promise(() => {})
  },
}))
