import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { facades } from './demo/facades-plugin.js'
import { firstPaintPlugin } from './demo/first-paint-plugin.js'
import { compressed } from './demo/library/compressed-plugin.js'
import { install } from './demo/offline/install-plugin.js'
import { offline } from './demo/offline/plugin.js'
import { encoder } from './demo/search/encoder-plugin.js'
import { emitModelRows } from './src/tools/vite/model-rows.js'

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
            // What the page needs to paint, with the library: one file, and nothing that later views share is a chunk of its own.
            { name: 'skillshelf', tags: ['$initial'], test: /^(?!.*\/offline\/)/ },
            // What the first answer needs of languages is one file, also where the model shares parts of it.
            { name: 'message-language', test: /\/(?:message-language|function-words)\.ts$/ },
            // So is the model, with what reopens the library with it.
            {
              name: 'bundled-model',
              test: /\/(?:bundled-model|check-vectors|join-model|bundled\/package)\.ts$/,
            },
          ],
        },
      },
    },
  },
  plugins: [
    policy,
    firstPaintPlugin,
    compressed(emitModelRows),
    install,
    encoder,
    facades,
    offline,
  ],
})
