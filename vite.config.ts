import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { offline } from './demo/offline/plugin.js'

/** What the built page may load and run. The meta tag is for hosts that send no header of their own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  // This computer too: a library that is being worked on.
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'self'",
  "form-action 'none'",
].join('; ')

/** In the built page only: the development server runs scripts and styles of its own inside the page. */
const policy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
      injectTo: 'head-prepend',
    },
  ],
}

/** The page is made of the package's source, under the names that others import. */
function source(path: string): string {
  return `${fileURLToPath(new URL('src/', import.meta.url))}${path}`
}

/** The demo page: `vite` serves it, `vite build` writes static files that any host can serve from any folder. */
export default defineConfig({
  root: fileURLToPath(new URL('demo', import.meta.url)),
  base: './',
  resolve: {
    alias: [
      { find: /^skillshelf$/, replacement: source('exports/index.ts') },
      { find: /^skillshelf\/(.+)$/, replacement: source('exports/$1.ts') },
      // Half as large, and all that WASM needs.
      { find: 'onnxruntime-web/webgpu', replacement: 'onnxruntime-web/wasm' },
    ],
  },
  // Found in mid-run otherwise, and the page reloads.
  optimizeDeps: { include: ['@huggingface/transformers', 'comlink', 'idb', 'idb-keyval'] },
  worker: { format: 'es' },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022', modulePreload: false },
  plugins: [policy, offline],
})
