import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'

const reference = fileURLToPath(new URL('../reference/', import.meta.url))
const demo = fileURLToPath(new URL('../../demo/dist/', import.meta.url))
/** The logo and the picture for links, shared with the demo page. */
const images = fileURLToPath(new URL('../../demo/images/', import.meta.url))
const base = process.env['DOCS_BASE'] ?? '/'
const decisions = fileURLToPath(new URL('../decisions/', import.meta.url))
/** `npm test` leaves out the pages that TypeDoc writes: they link to each other only, TypeDoc has checked that, and they take the most time. */
const guidesOnly = Boolean(process.env['GUIDES_ONLY'])

export default defineConfig({
  title: 'skillshelf',
  description: 'Finds the right skill for your AI agent: in the browser, on a server, offline.',
  base,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
    ['meta', { property: 'og:image', content: 'https://skillshelf.github.io/skillshelf/og.png' }],
  ],
  vite: { publicDir: images },
  cleanUrls: true,
  // The default themes have less contrast than WCAG asks for.
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' } },
  // `npm run build:demo` first: the page is copied into the built site.
  ignoreDeadLinks: [/^\/demo\//, link => guidesOnly && isInReference(link)],
  srcExclude: guidesOnly ? ['reference/**'] : [],
  buildEnd({ outDir }) {
    if (existsSync(demo)) cpSync(demo, join(outDir, 'demo'), { recursive: true })
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/skillshelf/skillshelf' }],
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guide', link: '/get-started' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Demo', link: '/demo/', target: '_self' },
    ],
    sidebar: [
      {
        text: 'Guide',
        items: [
          { text: 'Get started', link: '/get-started' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'Sources', link: '/sources' },
          { text: 'Matching', link: '/matching' },
          { text: 'Agents', link: '/agents' },
          { text: 'Tools', link: '/tools' },
          { text: 'Coding agents', link: '/hosts' },
          { text: 'Signed libraries', link: '/trust' },
          { text: 'Search element', link: '/element' },
          { text: 'Edge', link: '/edge' },
          { text: 'Engines', link: '/engines' },
          { text: 'Offline', link: '/offline' },
          { text: 'Authoring skills', link: '/authoring' },
          { text: 'Publishing', link: '/publishing' },
        ],
      },
      {
        text: 'Look up',
        items: [
          { text: 'What to import', link: '/imports' },
          { text: 'Command line', link: '/cli' },
          { text: 'Errors and diagnostics', link: '/errors' },
          { text: 'Dialects', link: '/dialects' },
          { text: 'Migrating', link: '/migrating' },
          { text: 'Measured', link: '/measured' },
          { text: 'API reference', link: '/reference/' },
        ],
      },
      { text: 'Decisions', collapsed: true, items: pages(decisions, '/decisions/') },
      { text: 'API', collapsed: true, items: modules() },
    ],
  },
})

/** Whether a link of a guide leads to a page that TypeDoc has written. */
function isInReference(link: string): boolean {
  const [, page] = /^(?:\.?\/)?reference\/(.*)$/.exec(link) ?? []
  return page !== undefined && existsSync(join(reference, `${page.replace(/\/$/, '/index')}.md`))
}

/** The pages of a folder, by file name. */
function pages(folder: string, link: string): DefaultTheme.SidebarItem[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(file => file.endsWith('.md') && file !== 'index.md')
    .sort()
    .map(file => file.replace(/\.md$/, ''))
    .map(page => ({ text: page.replace(/^\d+-/, '').replaceAll('-', ' '), link: link + page }))
}

/** One entry per export path: TypeDoc writes a folder with an index for each. */
function modules(): DefaultTheme.SidebarItem[] {
  if (!existsSync(reference)) return []
  return readdirSync(reference, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('index.md') && file !== 'index.md')
    .map(file => file.replaceAll('\\', '/').replace(/\/?index\.md$/, ''))
    .filter(path => !/\/(?:functions|interfaces|type-aliases|variables|classes)$/.test(path))
    .sort()
    .map(path => ({ text: path, link: `/reference/${path}/` }))
}
