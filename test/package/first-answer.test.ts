import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import type { Browser } from 'playwright'
import { build } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeFiles } from '../folders.js'
import { executablePath, UNHURRIED } from '../launch.js'
import { buildWorker } from '../node/engine-worker-world.js'
import { startBrowser } from '../node/pages.js'
import { serveStatic } from '../node/vite-world.js'
import { copySamples, EVERYTHING } from '../samples.js'
import { install } from './install.js'

/** The first answer of the packed package, opened as in the README: one fresh process or page for each message. */

const MESSAGES = {
  en: 'turn my notes into a deck for the launch',
  zh: '帮我做一份发布会的演示文稿',
  ja: 'プレゼンのスライドを作って',
  ko: '발표용 슬라이드를 만들어 줘',
  es: 'necesito una presentación para el lanzamiento de mañana',
  de: 'ich brauche Folien für meine Präsentation',
  fr: 'je veux des diapositives pour ma présentation',
  pt: 'preciso de slides para a minha apresentação',
  ru: 'сделай слайды для моей презентации',
}
type Language = keyof typeof MESSAGES
/** One language for each part of the model; all with `TEST_EVERYTHING`. */
const ONE_OF_EACH: Language[] = ['en', 'zh', 'ja', 'ko', 'es', 'ru']
const languages = EVERYTHING ? (Object.keys(MESSAGES) as Language[]) : ONE_OF_EACH
/** The languages that a host is tried with: a third of them, and all with `TEST_EVERYTHING`. Three hosts have all between them. */
const languagesOf = (host: number) => languages.filter((_, at) => EVERYTHING || at % 3 === host % 3)

/** The ids and the scores of the first answer. */
const ANSWER = `const { complete, model, matches, maybe = [] } = await library.match(message)
const answer = { complete, model, found: [...matches, ...maybe].map(({ id, score }) => [id, score.toFixed(6)]) }
`
const NODE = `import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
const library = await openLibrary(directory('skills'))
const [, , message] = process.argv
${ANSWER}console.log(JSON.stringify(answer))`
const PAGE = `import { openLibrary } from 'skillshelf'
const library = await openLibrary('/skills/')
const message = new URL(location.href).searchParams.get('message')
${ANSWER}console.log(JSON.stringify(answer))`

const installed = await install()
let inNode: ReadonlyMap<string, unknown>
beforeAll(async () => {
  const { root, node } = installed
  writeFiles(root, { 'package.json': '{ "type": "module" }', 'node.js': NODE, 'page.js': PAGE })
  const program = 'node_modules/skillshelf/dist/tools/cli/main.js'
  const some = copySamples('ppt', 'chart-maker', 'email-writer', 'pdf', 'weekly-report')
  await node([program, 'pack', some, '--out', 'skills'])
  const unhurried = `data:text/javascript,${encodeURIComponent(UNHURRIED)}`
  const answers: [string, unknown][] = []
  for (const language of languages)
    answers.push([
      language,
      JSON.parse(await node(['--import', unhurried, 'node.js', MESSAGES[language]])),
    ])
  inNode = new Map(answers)
})

it.each(languages)('[BY-24] the first answer in Node is complete: %s', language => {
  expect(inNode.get(language)).toMatchObject({
    complete: true,
    model: expect.stringMatching(/^hybrid/),
    found: expect.arrayContaining([['skills/ppt', expect.anything()]]),
  })
})

const html = (script: string): string =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`

/** Builds a site in a folder with the skills. */
const sites: Record<string, (site: string) => Promise<void>> = {
  async Vite(site) {
    const { root } = installed
    writeFileSync(join(root, 'index.html'), html('/page.js'))
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      build: { outDir: site, emptyOutDir: false },
    })
  },
  async esbuild(site) {
    await bundle({
      absWorkingDir: installed.root,
      entryPoints: ['page.js'],
      outdir: join(site, 'assets'),
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'silent',
    })
    symlinkSync(join(installed.folder, 'model'), join(site, 'model'))
    writeFileSync(join(site, 'index.html'), html('/assets/page.js'))
  },
  async 'the browser bundle'(site) {
    cpSync(join(installed.folder, 'dist/browser'), join(site, 'skillshelf/dist/browser'), {
      recursive: true,
    })
    symlinkSync(join(installed.folder, 'model'), join(site, 'skillshelf/model'))
    writeFileSync(
      join(site, 'page.js'),
      PAGE.replace("'skillshelf'", "'./skillshelf/dist/browser/skillshelf.js'"),
    )
    writeFileSync(join(site, 'index.html'), html('/page.js'))
  },
}

describe.skipIf(executablePath === undefined).each([...Object.keys(sites).entries()])(
  'the first answer in a page by $1',
  (host, name) => {
    let browser: Browser
    let address: string
    beforeAll(async () => {
      browser = await startBrowser()
      const site = join(installed.root, 'sites', name.replaceAll(' ', '-'))
      mkdirSync(site, { recursive: true })
      cpSync(join(installed.root, 'skills'), join(site, 'skills'), { recursive: true })
      await sites[name]?.(site)
      ;({ address } = await serveStatic(site))
    })

    /** Opens the page with a message. Returns what it logs, and the files of the model that it fetched with their sizes. */
    async function open(language: Language) {
      const page = await browser.newPage()
      await page.addInitScript(UNHURRIED)
      const fetched: Promise<[path: string, bytes: number]>[] = []
      page.on('response', response => {
        const { pathname } = new URL(response.url())
        if (!pathname.includes('/model/')) return
        fetched.push(response.body().then(({ length }) => [pathname, length]))
      })
      const printed = page.waitForEvent('console')
      await page.goto(`${address}?message=${encodeURIComponent(MESSAGES[language])}`)
      const answer: unknown = JSON.parse((await printed).text())
      const files = await Promise.all(fetched)
      await page.close()
      return { answer, files }
    }

    if (name !== 'the browser bundle') {
      it.each(languagesOf(host))('[BY-24] is that of Node: %s', async language => {
        expect((await open(language)).answer).toEqual(inNode.get(language))
      })
      return
    }
    // A bundler does not find the files of rows.
    it.each(languages)(
      '[BY-24] [BY-34] is that of Node, by the rows of the message: %s',
      async language => {
        const { answer, files } = await open(language)
        expect(answer).toEqual(inNode.get(language))
        expect(files.filter(([path]) => !path.includes('/model/rows/'))).toEqual([])
        expect(files.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(200_000)
      },
    )
  },
)

const WORKER = `import { http, openLibrary } from 'skillshelf'
${UNHURRIED}
export default {
  async fetch({ url }, env) {
    const { origin, searchParams } = new URL(url)
    const library = await openLibrary(http(origin + '/skills/', { fetch: (url, init) => env.ASSETS.fetch(url, init) }))
    const message = searchParams.get('message')
    ${ANSWER}
    return Response.json(answer)
  },
}
`

describe('the first answer in a Worker', () => {
  const worker = buildWorker(WORKER)
  let assets: string
  beforeAll(() => {
    assets = join(installed.root, 'assets')
    cpSync(join(installed.root, 'skills'), join(assets, 'skills'), { recursive: true })
    cpSync(join(installed.folder, 'model'), join(assets, 'model'), { recursive: true })
  })

  it.each(languagesOf(0))('[BY-24] is that of Node: %s', async language => {
    await using isolate = await worker.start({}, assets)
    const response = await isolate.dispatch(
      `http://worker/?message=${encodeURIComponent(MESSAGES[language])}`,
    )
    expect(await response.json()).toEqual(inNode.get(language))
  })
})
