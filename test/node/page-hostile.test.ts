import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, imageWidth, packed, textOf, type World } from './page-world.js'

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; manifest-src 'self'; base-uri 'self'; form-action 'none'"
/** Gzipped bytes of script: before the first paint, and until the first search result. */
const PAINT_BUDGET = 75_500
const SEARCH_BUDGET = 110_000

const RUN = 'window.ran = true'
const HOSTILE = {
  'evil/SKILL.md': `---
name: '<img src=x onerror="${RUN}">'
display_name: <script>${RUN}</script>shown
description: 'Removes stains <svg onload="${RUN}"> from shirts "><script>${RUN}</script>'
tags: ['<b onmouseover="${RUN}">tag</b>']
author: '<iframe srcdoc="<script>parent.ran = true</script>"></iframe>'
---
# Stains <img src=x onerror="${RUN}">

<script>${RUN}</script>

<svg><style><img src=x onerror="${RUN}"></style></svg>

<style>body { display: none }</style>

<p style="position: fixed; inset: 0">over everything</p>

<form action="https://outside.invalid/"><input name="secret" autofocus onfocus="${RUN}"></form>

[script link](javascript:${RUN.replaceAll(' ', '')}) and [coded](&#106;avascript:alert(1)) and [page](data:text/html,x) and
[outside](https://outside.invalid/page "title") and [the list](lists/soaps.md) and [gone](../../main.js) and
<a href="javascript:${RUN}">tag link</a>

![tracker](https://outside.invalid/pixel.png) ![broken](x"onerror="${RUN.replaceAll(' ', '')}) ![beside](./icon.png)

![drawing](data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%3E%3Cimage%20href='https://outside.invalid/pixel.png'/%3E%3C/svg%3E)

![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
`,
  [`evil/<img src=x onerror="${RUN}">.txt`]: `<script>${RUN}</script> as text`,
  'evil/lists/soaps.md': '<script>parent.ran = true</script> soap',
  'evil/page.html': `<script>${RUN}</script>`,
  'evil/run.js': RUN,
  'evil/drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${RUN}"><script>${RUN}</script><style>@import 'https://outside.invalid/a.css'; rect { fill: url(https://outside.invalid/b.svg#c) }</style><image href="https://outside.invalid/pixel.png"/><a href="https://outside.invalid/"><rect width="40" height="40"/></a></svg>`,
}

const LENGTH = 199_000
const fill = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)
const columns = (amount: number): string => `${'|a'.repeat(amount)}|\n${'|-'.repeat(amount)}|\n`

/** Texts that would stop the page, or take all of its memory, if it rendered them. */
const LARGE = {
  'nested-lists': fill('+ - '),
  'nested-numbers': fill('1. '),
  'nested-quotes': fill('>'),
  'lists-in-quotes': fill('> - '),
  'nested-emphasis': `${'*'.repeat(LENGTH / 2)}a${'*'.repeat(LENGTH / 2)}`,
  'many-items': fill('- -\n'),
  'many-paragraphs': fill('a\n\n'),
  'many-rules': fill('***\n'),
  'many-addresses': fill('a@b.c '),
  'table-of-many-columns': columns(LENGTH / 4),
  'table-with-rows-to-fill': columns(2_000) + fill('|\n'),
  'tables-with-rows-to-fill': fill(`${columns(100)}${'|\n'.repeat(100)}\n`),
  'long-target-used-often': `[a]: ${'b'.repeat(LENGTH / 2)}\n\n${fill('[a]').slice(LENGTH / 2)}`,
  'long-title-used-often': `[a]: b "${'c'.repeat(LENGTH / 2)}"\n\n${fill('![a]').slice(LENGTH / 2)}`,
  'longer-than-the-limit': fill('a b\n').repeat(2),
}
/** Texts that take the parser minutes. */
const ENDLESS = {
  emphasis: fill('_a*'),
  'emphasis-in-a-list': `- > a\n\n  ${fill('_a*')}`,
}
const PLAIN = { plain: 'Some **bold** text.', words: fill('words ') }
const skillsOf = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      `${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: Tests the page.\n---\n${text}`,
    ]),
  )
/** Characters that reorder or hide text. */
const HIDDEN =
  '\u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 \u2069 \u200e \u200f \u061c \u200b \u2060 \u{e0041}'.split(
    ' ',
  )
const codeOf = (one: string): string =>
  `U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
const codes = HIDDEN.map(codeOf)
const marks = HIDDEN.map(one => `[${codeOf(one)}]`).join('')
const all = HIDDEN.join('')
const entities = HIDDEN.map(one => `&#x${one.codePointAt(0)?.toString(16)};`).join('')
/** Texts with these characters, and what they need: joiners of Persian, of Hindi and of emoji. */
const JOINED = [
  'می\u200cخواهم',
  '**کتاب**\u200cها',
  '**क्**\u200dष',
  '👩\u200d👩\u200d👧',
  '❤\ufe0f',
]
const REORDERED: Readonly<Record<string, string>> = {
  paragraph: all,
  heading: `# ${all}`,
  item: `- ${all}`,
  quote: `> ${all}`,
  cell: `|a|\n|-|\n|${all}|`,
  code: `\`${all}\``,
  'code block': `\`\`\`\n${all}\n\`\`\``,
  'indented code': `    ${all}`,
  emphasis: `**${all}**`,
  link: `[${all}](https://outside.invalid/)`,
  'link to a file': `[${all}](notes.md)`,
  autolink: `<https://outside.invalid/${all}>`,
  image: `![${all}](https://outside.invalid/a.png)`,
  html: `<b>${all}</b>`,
  entities,
  'entities in code': `<code>${entities}</code>`,
}
const DOT = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const REORDERING = {
  'reordered/SKILL.md': `---
name: re${all}ordered
display_name: Name ${all}
description: Tests ${all} the page.
tags: ['${all}']
---
${Object.values(REORDERED).join('\n\n')}

[titled](https://outside.invalid/ "${all}") ![alternative ${all}](${DOT} "${all}")

${JOINED.join('\n\n')}
`,
  'reordered/notes.md': all,
  [`reordered/photo${HIDDEN[4]}gnp.txt`]: 'as text',
  [`reordered/folder${HIDDEN[4]}/image.svg`]:
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>',
}

/** Holds the deadline of the parser until a test calls `window.passDeadline()`. */
const HOLD_DEADLINE = `{
  const later = globalThis.setTimeout
  const held = []
  globalThis.setTimeout = (run, ms, ...rest) => ms === 3_000 ? -held.push(run) : later(run, ms, ...rest)
  window.isParsing = () => held.length > 0
  window.passDeadline = () => held.splice(0).forEach(run => run())
}`
const TOO_LARGE = 'Shown as plain text, because it would take too long to format.'

/** The scripts that the page needs for the first paint in English. */
function initialScripts(output: World['output']): ReadonlySet<string> {
  const chunks = output.filter(one => one.type === 'chunk')
  const isFirst = /texts-en-(?!more)/
  const needed = new Set(
    chunks
      .filter(one => (one.isEntry && one.fileName !== 'sw.js') || isFirst.test(one.fileName))
      .map(one => one.fileName),
  )
  for (const name of needed) {
    for (const other of chunks.find(one => one.fileName === name)?.imports ?? []) needed.add(other)
  }
  return needed
}

describePage(
  'the demo page and hostile skills',
  { hostile: () => packed(memory(HOSTILE)) },
  world => {
    /** Set by a script of a skill. */
    const ran = (): Promise<unknown> => world.page.evaluate('window.ran')

    it('[BY-9] the page shows a hostile skill as text and runs no script in it', async () => {
      await world.visit('hostile')
      await eventually(() => world.firstName()).toBe(`<script>${RUN}</script>shown`)
      await eventually(() => textOf(world.results().first().locator('.alias'))).toBe(
        `<img src=x onerror="${RUN}">`,
      )
      await eventually(() => textOf(world.results().first().locator('.description'))).toContain(
        `<svg onload="${RUN}">`,
      )
      await world.box().fill('remove stains from shirts <b>now</b>')
      await world.answered()
      await world.results().first().click()
      await world.heading().getByText(`<script>${RUN}</script>shown`).waitFor()
      const prose = world.skill().locator('.prose')
      const shown = await textOf(prose)
      expect(shown).toContain(`Stains <img src=x onerror="${RUN}">`)
      expect(shown).toContain(`<script>${RUN}</script>`)
      expect(shown).toContain('<style>body { display: none }</style>')
      expect(shown).toContain(`<a href="javascript:${RUN}">tag link</a>`)
      await eventually(() => textOf(world.skill().getByRole('list', { name: 'Tags' }))).toBe(
        `<b onmouseover="${RUN}">tag</b>`,
      )
      await world.skill().getByText('Frontmatter source').click()
      await eventually(() => textOf(world.skill().locator('details pre'))).toContain(
        `tags: ['<b onmouseover="${RUN}">tag</b>']`,
      )

      for (const [path, content] of Object.entries(HOSTILE)) {
        const name = path.slice('evil/'.length)
        if (name === 'SKILL.md') continue
        const title = world.page.getByText(name.slice(name.lastIndexOf('/') + 1), { exact: true })
        const row = world.skill().getByRole('listitem').filter({ has: title }).last()
        await row.getByRole('button').click()
        if (name.endsWith('.svg')) {
          const image = row.getByRole('img')
          await eventually(() => imageWidth(image)).toBe(40)
        } else await eventually(() => row.locator('pre').textContent()).toBe(content)
        await row
          .getByRole('link', { name: `Download ${name.slice(name.lastIndexOf('/') + 1)}` })
          .waitFor()
      }
      // A tab has no policy of the page: a script of the drawing would run there, and its image would be requested.
      const address = (await world.skill().locator('.preview img').getAttribute('src')) ?? ''
      const tab = await world.tab('hostile')
      expect(await tab.goto(address).then(() => 'opened', String)).toContain('ERR_FILE_NOT_FOUND')
      await tab.close()
      await eventually(() => imageWidth(world.skill().locator('.preview img'))).toBe(40)
      for (const element of 'script svg style iframe form input b [onerror] [onload] [style]:not(.costs-bar>span)'.split(
        ' ',
      ))
        expect([element, await world.skill().locator(element).count()]).toEqual([element, 0])
      await eventually(() => ran()).toBeUndefined()
    })

    it('[BY-9] links of a skill open safely or show its files, and no remote image loads', async () => {
      await world.visit('hostile', { hash: '#/skill/skills/evil' })
      const prose = world.skill().locator('.prose')
      const link = prose.getByRole('link')
      await link.waitFor()
      await eventually(() => textOf(link)).toBe('outside')
      await eventually(() => link.getAttribute('href')).toBe('https://outside.invalid/page')
      await eventually(() => link.getAttribute('target')).toBe('_blank')
      expect((await link.getAttribute('rel'))?.split(' ').sort()).toEqual([
        'nofollow',
        'noopener',
        'noreferrer',
      ])
      const shown = await textOf(prose)
      const images = ['[image: drawing]', '[image: tracker]', '[image: broken]', '[image: beside]']
      for (const text of ['script link', 'coded', 'page', 'gone', ...images])
        expect(shown).toContain(text)
      const image = prose.getByRole('img')
      await eventually(() => image.count()).toBe(1)
      await eventually(() => image.getAttribute('src')).toMatch(/^data:image\/gif/)
      await prose.getByRole('button', { name: 'the list' }).click()
      await eventually(() => world.preview().textContent()).toBe(HOSTILE['evil/lists/soaps.md'])
      await eventually(() => world.file('lists/soaps.md').getAttribute('aria-expanded')).toBe(
        'true',
      )
      await eventually(() => ran()).toBeUndefined()
    })

    it('[BY-9] the page has its security policy, loads no YAML or Markdown parser at first, and keeps its size budget', async () => {
      const html = world.output.find(one => one.fileName === 'index.html')
      const text = html?.type === 'asset' ? String(html.source).replaceAll('&#39;', "'") : ''
      expect(text).toContain(`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
      expect(text).not.toMatch(
        /<script(?![^>]*\ssrc=)|<style|\s(?:on\w+|style)=|(?<!<a)\s(?:src|href)=["']?(?:https?:)?\/\//,
      )
      await world.visit('samples')
      // The bundled model loads after the first result and is not counted.
      await world.page.route(/\/assets\/bundled-model-[^/]*\.js$/, () => {})
      await world.page.reload()
      await world.box().fill('book a flight')
      await world.answered()
      const loaded = (await world.page.evaluate(
        `performance.getEntriesByType('resource').map(entry => entry.name).filter(name => /\\.js$/.test(name))`,
      )) as string[]
      const chunks = loaded.map(name => world.output.find(one => name.endsWith(`/${one.fileName}`)))
      const initial = initialScripts(world.output)
      let paint = 0
      let search = 0
      for (const chunk of chunks) {
        if (chunk?.type !== 'chunk') throw new Error('An unknown script was loaded')
        const size = gzipSync(chunk.code).length
        search += size
        if (initial.has(chunk.fileName)) paint += size
        expect(
          chunk.moduleIds.filter(id => /node_modules\/(?:yaml|zod|marked|dompurify)\//.test(id)),
        ).toEqual([])
      }
      expect(paint).toBeGreaterThan(0)
      expect(paint).toBeLessThan(PAINT_BUDGET)
      expect(search).toBeLessThan(SEARCH_BUDGET)
    })
  },
)

describePage(
  'the demo page and large Markdown',
  { large: () => packed(memory(skillsOf({ ...LARGE, ...ENDLESS, ...PLAIN }))) },
  world => {
    const prose = () => world.skill().locator('.prose')
    const plain = () => prose().locator('pre')
    const parsers = () =>
      world.page.workers().filter(worker => worker.url().includes('markdown-worker'))
    const open = (name: string, before = '') =>
      world.visit('large', { hash: `#/skill/skills/${name}`, before })

    it('[BY-9] Markdown that is too large is shown whole, as text', async () => {
      await world.visit('large')
      await world.results().first().waitFor()
      for (const [name, text] of Object.entries(LARGE)) {
        await world.page.evaluate(`location.hash = '#/skill/skills/${name}'`)
        await world.heading().getByText(name, { exact: true }).waitFor()
        await prose().getByText(TOO_LARGE).waitFor()
        const isWhole = async () => (await plain().textContent())?.trimEnd() === text.trimEnd()
        await eventually(async () => [name, await isWhole()]).toEqual([name, true])
      }
    })

    it.each(Object.keys(ENDLESS))(
      '[BY-9] the page answers while Markdown is parsed, and shows it as text after the deadline: %s',
      async name => {
        await open(name, HOLD_DEADLINE)
        await eventually(() => world.page.evaluate('isParsing()')).toBe(true)
        await world.box().fill('tests')
        await world.answered()
        expect(await prose().count()).toBe(0)
        await eventually(() => parsers().length).toBe(1)
        await world.page.evaluate('passDeadline()')
        await prose().getByText(TOO_LARGE).waitFor()
        expect((await plain().textContent())?.trimEnd()).toBe(
          (ENDLESS as Record<string, string>)[name]?.trimEnd(),
        )
        await eventually(() => parsers().length).toBe(0)
      },
    )

    it('[BY-9] a skill that is opened while the Markdown of another is parsed ends its parser', async () => {
      await open('emphasis', HOLD_DEADLINE)
      await eventually(() => world.page.evaluate('isParsing()')).toBe(true)
      await world.page.evaluate('location.hash = "#/skill/skills/plain"')
      await prose().locator('strong').waitFor()
      await eventually(() => parsers().length).toBe(0)
    })

    it('[BY-9] a word that a text repeats without end is highlighted at its first places only', async () => {
      await open('words')
      await prose().waitFor()
      await world.box().fill('words')
      await prose().locator('mark').first().waitFor()
      await eventually(() => prose().locator('mark').count()).toBe(500)
      expect((await textOf(prose())).trim()).toBe(PLAIN.words.trim())
    })

    it('[BY-9] without its parser, Markdown is shown as text, in the language of the page', async () => {
      world.allow(/Failed to load resource/)
      await world.visit('large', { locale: 'zh-CN' })
      await world.page.route(/markdown-worker/, route => route.abort())
      await world.results().first().waitFor()
      await world.page.evaluate('location.hash = "#/skill/skills/plain"')
      const shown = world.page.locator('.prose')
      await shown.getByText('无法加载排版所需的文件，因此按纯文本显示。').waitFor()
      await eventually(() => shown.locator('pre').textContent()).toContain(PLAIN.plain)
    })
  },
)

describePage(
  'the demo page and hidden characters',
  { hidden: () => packed(memory(REORDERING)) },
  world => {
    it('[BY-9] characters that reorder or hide text are shown as their codes, wherever a skill is shown', async () => {
      await world.visit('hidden')
      await world.results().first().click()
      const prose = world.skill().locator('.prose')
      await prose.waitFor()
      await eventually(() => world.page.title()).toContain(marks)
      const shown = await textOf(prose)
      const missing = Object.keys(REORDERED).length
      expect([...codes].map(code => [code, shown.split(`[${code}]`).length - 1])).toEqual(
        codes.map(code => [code, missing]),
      )
      for (const text of JOINED) expect(shown).toContain(text.replaceAll('**', ''))
      for (const file of await world.skill().locator('.files button:not(.folder)').all())
        await file.click()
      await eventually(() => world.skill().locator('a.download').count()).toBe(
        Object.keys(REORDERING).length - 1,
      )
      await world.preview().getByText(marks).waitFor()
      // Everything that the page shows or says, with the legitimate joiners taken out.
      const everything = (await world.page.evaluate(`{
      const parts = [document.title, document.body.textContent]
      for (const element of document.querySelectorAll('*'))
        for (const { name, value } of element.attributes)
          if (!['href', 'content', 'src', 'id'].includes(name)) parts.push(name + '=' + value)
      parts.join('\\n')
    }`)) as string
      for (const one of HIDDEN)
        expect([codeOf(one), everything.includes(one)]).toEqual([codeOf(one), false])
      for (const attribute of ['title', 'alt', 'download', 'aria-label'])
        expect(everything).toMatch(new RegExp(`^${attribute}=.*\\[U\\+202E\\]`, 'm'))
    })
  },
)
