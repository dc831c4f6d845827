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

/** The texts of the search box. */
const SEARCH_IN_CHINESE = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    displayDetails: '显示详细列表',
    resetButtonTitle: '清空',
    backButtonTitle: '关闭',
    noResultsText: '没有找到',
    footer: { selectText: '打开', navigateText: '移动', closeText: '关闭' },
  },
}

/** The pages in Chinese, in the order of the sidebar. */
const CHINESE = [
  { text: '快速上手', link: '/zh/get-started' },
  { text: '核心概念', link: '/zh/concepts' },
  { text: '接入 Agent', link: '/zh/agents' },
  { text: '编写技能', link: '/zh/authoring' },
]

export default defineConfig({
  title: 'skillshelf',
  description:
    'Finds the skill that fits a message, for any agent in a browser tab or at the edge: in milliseconds, offline.',
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
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '浏览器标签页或边缘的任何 Agent，几毫秒内为一条消息找到合适的技能，离线可用。',
      themeConfig: {
        nav: [
          { text: '指南', link: '/zh/get-started' },
          { text: 'API', link: '/reference/' },
          { text: '演示', link: '/demo/?lang=zh', target: '_self' },
        ],
        sidebar: [
          { text: '指南', items: CHINESE },
          { text: '英文文档', items: [{ text: '全部指南', link: '/get-started' }] },
        ],
        outline: { level: [2, 3], label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        sidebarMenuLabel: '菜单',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '切换语言',
        skipToContentLabel: '跳到正文',
      },
    },
  },
  themeConfig: {
    // Not every page is in Chinese: the menu leads to the first page of a language.
    i18nRouting: false,
    logo: { src: '/icon.svg', alt: '' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/skillshelf/skillshelf' }],
    search: {
      provider: 'local',
      options: {
        locales: { zh: { translations: SEARCH_IN_CHINESE } },
        // Guides come before the pages of the API and the decisions, of which there are many more.
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) => (/\/(?:reference|decisions)\//.test(id) ? 0.1 : 1),
          },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guide', link: '/get-started' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Demo', link: '/demo/', target: '_self' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Get started', link: '/get-started' },
          { text: 'Why', link: '/why' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'Agents', link: '/agents' },
          { text: 'Coding agents (hook)', link: '/hosts' },
          { text: 'My skill is not found', link: '/not-found' },
        ],
      },
      {
        text: 'Skills',
        items: [
          { text: 'Authoring skills', link: '/authoring' },
          { text: 'Publishing', link: '/publishing' },
          { text: 'Sources', link: '/sources' },
          { text: 'Matching', link: '/matching' },
          { text: 'Signed libraries', link: '/trust' },
        ],
      },
      {
        text: 'Places',
        items: [
          { text: 'Bundlers', link: '/bundlers' },
          { text: 'Search element', link: '/element' },
          { text: 'Offline', link: '/offline' },
          { text: 'Edge', link: '/edge' },
          { text: 'Engines', link: '/engines' },
          { text: 'Tools beside skills', link: '/tools' },
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
