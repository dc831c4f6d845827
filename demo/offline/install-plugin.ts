import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { ENCODER_PARENT } from '../search/encoder-parent.js'

/** Drawn by scripts/page-images.ts. Their names are fixed, because other sites and installed pages refer to them. */
const IMAGES = ['og.png', 'icon-192.png', 'icon-512.png']
/** The license of the font, which goes with it. */
const LICENSE = 'OFL.txt'
const SITE = 'https://skillshelf.github.io/skillshelf/demo/'
const TITLE = 'skillshelf finds the right agent skill for a message'
const DESCRIPTION =
  'In the browser, on a server, offline. Describe a task and see which skill an agent would load, and why.'

const MANIFEST = {
  name: 'skillshelf',
  description: DESCRIPTION,
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: '#0f2b25',
  theme_color: '#0f2b25',
  icons: ['192', '512'].map(size => ({
    src: `icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
  })),
}

const UNCACHED = new Set([...IMAGES, LICENSE, 'manifest.webmanifest'])

/** Whether the service worker leaves a file of the build alone. transformers.js caches those of the encoder, and IndexedDB has the samples. Of the model it caches the compressed copies, and the rows of the page's own messages. */
export function isUncached(name: string): boolean {
  return (
    UNCACHED.has(name) ||
    name.startsWith(ENCODER_PARENT) ||
    /\/(?:samples|offline|.*\.seg)-[^/]*\.gzip$|-model-rows\/.*\.bin$/.test(name)
  )
}

/** Makes the built page installable, and gives links to it a title and a picture. */
export const install: Plugin = {
  name: 'install',
  apply: 'build',
  buildStart() {
    for (const fileName of IMAGES) {
      const source = readFileSync(fileURLToPath(new URL(`../images/${fileName}`, import.meta.url)))
      this.emitFile({ type: 'asset', fileName, source })
    }
    const license = readFileSync(fileURLToPath(new URL(`../fonts/${LICENSE}`, import.meta.url)))
    this.emitFile({ type: 'asset', fileName: LICENSE, source: license })
    this.emitFile({
      type: 'asset',
      fileName: 'manifest.webmanifest',
      source: JSON.stringify(MANIFEST),
    })
  },
  transformIndexHtml: {
    order: 'post',
    handler: () => [
      { tag: 'link', attrs: { rel: 'manifest', href: './manifest.webmanifest' }, injectTo: 'head' },
      ...Object.entries({
        'og:type': 'website',
        'og:title': TITLE,
        'og:description': DESCRIPTION,
        'og:url': SITE,
        'og:image': `${SITE}og.png`,
        'og:image:width': '1200',
        'og:image:height': '630',
        'twitter:card': 'summary_large_image',
      }).map(([property, content]) => ({
        tag: 'meta',
        attrs: { property, content },
        injectTo: 'head' as const,
      })),
    ],
  },
}
