import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { firstPaintPlugin } from './demo/first-paint-plugin.js'
import { compressed } from './demo/library/compressed-plugin.js'
import { install } from './demo/offline/install-plugin.js'
import { offline } from './demo/offline/plugin.js'
import { encoder } from './demo/search/encoder-plugin.js'

/** The built page's Content Security Policy. A meta tag works on hosts that cannot send headers. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  // Localhost: a library under development.
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
].join('; ')

/** Adds the policy to the built page only, because the development server injects inline scripts and styles. */
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

/** The page imports the package by its public names, resolved to its source. */
function source(path: string): string {
  return `${fileURLToPath(new URL('src/', import.meta.url))}${path}`
}

/** The demo page. `vite build` writes static files that work on any host, in any folder. */
export default defineConfig({
  root: fileURLToPath(new URL('demo', import.meta.url)),
  base: './',
  resolve: {
    alias: [
      { find: /^skillshelf$/, replacement: source('exports/index.ts') },
      { find: /^skillshelf\/(.+)$/, replacement: source('exports/$1.ts') },
      // Half the size; WebGPU is not used.
      { find: 'onnxruntime-web/webgpu', replacement: 'onnxruntime-web/wasm' },
    ],
  },
  // Discovered at run time they would reload the page.
  optimizeDeps: { include: ['@huggingface/transformers', 'comlink', 'idb', 'idb-keyval'] },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The library has a file of its own, so that the page can say how large it is.
            { name: 'skillshelf', tags: ['$initial'], test: /\/(?:src|dist|node_modules)\// },
            // What the first answer needs of languages is one file, also where the model shares parts of it.
            { name: 'message-language', test: /\/(?:message-language|function-words)\.ts$/ },
            // Runs before the other two have come.
            { name: 'compressed-files', tags: ['$initial'], test: /compressed-(?:files|samples)/ },
            // Without it, modules that the page shares with later views are chunks of their own: one request each.
            { name: 'page', tags: ['$initial'], test: /^(?!.*\/offline\/)/ },
          ],
        },
      },
    },
  },
  plugins: [policy, firstPaintPlugin, compressed, install, encoder, offline],
})
