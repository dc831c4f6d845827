import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { samples } from '../samples.js'
import {
  BY_BUNDLED_MODEL,
  BY_KEYWORDS,
  describePage,
  eventually,
  GARDEN,
  packed,
  textOf,
  waitForText,
} from './page-world.js'

/** Shares no word with any skill, and misleads the bundled model. */
const DINNER = 'what should I eat tonight'
const BY_ENCODER = 'Ranked by keywords and skillshelf-encoder'
/** The large file of the encoder. */
const WEIGHTS = /\/model_q4\.onnx$/

/** The sample for dinner, those that mislead the bundled model, and one for another message. */
async function dinnerSkills(): Promise<Record<string, string>> {
  const names = ['recipe-planner', 'travel-itinerary', 'fitness-plan', 'gift-ideas', 'ppt']
  const read = (name: string) => readFile(join(samples, name, 'SKILL.md'), 'utf8')
  return Object.fromEntries(
    await Promise.all(names.map(async name => [`${name}/SKILL.md`, await read(name)])),
  )
}

const libraries = {
  dinner: async () => packed(memory(await dinnerSkills()), { embedder: await bundled() }),
  garden: () => packed(memory(GARDEN)),
}

describePage('the models of the demo page', libraries, world => {
  const { rankedBy, firstName } = world
  const panel = () => world.page.getByRole('list', { name: 'Models' })
  const button = (name: string) => panel().getByRole('button', { name, exact: true })
  const announcement = () => textOf(panel().getByRole('status'))
  const remembered = () => world.page.evaluate(`localStorage.getItem('skillshelf.model')`)
  const openPanel = async (): Promise<void> => {
    await world.page.locator('#models summary').click()
    await panel().waitFor()
  }
  /** Opens the samples and holds requests from the start. */
  const visitHolding = async (requests: RegExp) => {
    await world.visit('samples')
    const held = await world.hold(requests)
    await world.page.reload()
    return held
  }

  it('[BY-1] keywords rank at once, the bundled model once it is loaded, and the focus stays', async () => {
    const { count, release } = await visitHolding(/\/(?:latin|rows)[-.][^/]*$/)
    await world.box().fill('tell me what a picture weighs')
    await world.answered()
    await eventually(() => rankedBy()).toBe(BY_KEYWORDS)
    await eventually(count).toBeGreaterThan(0)
    await world.box().press('ArrowDown')
    const focused = world.focused()
    const line = await focused.getAttribute('href')
    await release()
    await eventually(rankedBy).toBe(BY_BUNDLED_MODEL)
    expect([line, await world.box().getAttribute('href')]).toContain(
      await focused.getAttribute('href'),
    )
    await openPanel()
    await panel().getByText('In use.').waitFor()
  })

  it('[BY-1] a Chinese message does not wait for the Chinese part of the model', async () => {
    const { count, release } = await visitHolding(/\/han-[^/]*$/)
    await world.ask('book a flight')
    await eventually(rankedBy).toBe(BY_BUNDLED_MODEL)
    expect(count()).toBe(0)
    await world.box().fill('我想订一张去东京的机票')
    await eventually(rankedBy).toBe(BY_KEYWORDS)
    await eventually(count).toBeGreaterThan(0)
    await release()
    await eventually(rankedBy).toBe(BY_BUNDLED_MODEL)
    await eventually(firstName).toBe('book-flight')
  })

  it('[BY-1] keywords rank a library without vectors, or without the model, and the page says why', async () => {
    await world.visit('garden')
    await world.ask('prune the roses')
    await eventually(() => rankedBy()).toBe(BY_KEYWORDS)
    await openPanel()
    await panel().getByText('packed with --no-meaning').waitFor()
    await eventually(() => world.page.locator('#diagnostics').textContent()).toBe('')

    await world.page.route(/\/(?:latin|rows)[-.][^/]*$/, route => route.fulfill({ status: 503 }))
    await world.page.goto(`${world.origin}/samples/`)
    await world.ask('book a flight')
    expect([await rankedBy(), await firstName()]).toEqual([BY_KEYWORDS, 'book-flight'])
    await openPanel()
    await panel().getByText('Could not load. Only keywords rank.').waitFor()
    world.allow(/^Failed to load resource: .*503/)
  })

  it('[CARD-2] loading the encoder can be canceled, and the page says that it failed to load, and keeps ranking', async () => {
    await world.visit('few', { bypassCSP: true })
    await world.ask('book a flight')
    await openPanel()
    const { count, release } = await world.hold(WEIGHTS)
    await button('Load').click()
    await eventually(count).toBeGreaterThan(0)
    await button('Cancel').focus()
    await world.page.keyboard.press('Enter')
    await eventually(() => textOf(world.focused())).toBe('Load')
    await eventually(async () => [
      await rankedBy(),
      await remembered(),
      await announcement(),
    ]).toEqual([BY_BUNDLED_MODEL, null, ''])
    await world.page.unroute(WEIGHTS)
    await release()

    await world.page.route(WEIGHTS, route => route.fulfill({ status: 404 }))
    await world.page.keyboard.press('Enter')
    await panel().getByText('Could not load. The bundled model stays in use.').waitFor()
    const place = /\/few\/models\/[\d.]+\/skillshelf-encoder\//
    await panel().getByText(place).first().waitFor()
    await eventually(() => announcement()).toBe('Could not load skillshelf-encoder')
    await eventually(() => textOf(world.focused())).toBe('Try again')
    await eventually(() => remembered()).toBeNull()
    await world.ask('make slides about our launch')
    await eventually(async () => [await rankedBy(), await firstName()]).toEqual([
      BY_BUNDLED_MODEL,
      'ppt',
    ])
    await world.page.unroute(WEIGHTS)
    await button('Try again').click()
    await eventually(rankedBy).toBe(BY_ENCODER)
    expect(await world.axeViolations('in use', ['light', 'dark'])).toEqual([])
    await world.expectNoOverflow('in use', [320, 768, 1280])
    world.allow(/404/)
  })

  it('[BY-40] without streams that inflate and without Web Workers the page ranks, says why the encoder is missing, and asks nothing', async () => {
    await world.visit('few', {
      before: `
        delete window.DecompressionStream
        delete window.Worker
        StorageManager.prototype.persist = () => { throw new Error('The page asked to keep its data') }
      `,
    })
    await world.ask('book a flight')
    await eventually(async () => [await rankedBy(), await firstName()]).toEqual([
      BY_BUNDLED_MODEL,
      'book-flight',
    ])
    await openPanel()
    await button('Load').click()
    await panel().getByText('Could not load. The bundled model stays in use.').waitFor()
    await waitForText(panel(), 'The worker could not be created')
    await world.ask('make slides about our launch')
    await eventually(async () => [await rankedBy(), await firstName()]).toEqual([
      BY_BUNDLED_MODEL,
      'ppt',
    ])
  })

  it('[CARD-2] the panel names the size, languages and license of the encoder, and the page has its files', async () => {
    await world.visit('samples')
    await openPanel()
    await waitForText(panel(), /English, Chinese, .* and Russian\. MIT license\./)
    const files = [...world.files].filter(([path]) => path.startsWith('models/'))
    const size = files.reduce((sum, [, content]) => sum + content.length, 0)
    await waitForText(panel(), `${Math.round(size / 1e6)} MB, plus a 14 MB runtime.`)
    expect(files.map(([path]) => path.replace(/^.*skillshelf-encoder\//, '')).sort()).toEqual([
      'LICENSE',
      'NOTICE',
      'config.json',
      'onnx/model_q4.onnx',
      'tokenizer.json',
      'tokenizer_config.json',
    ])
  })

  it('[CARD-2] [BY-1] the encoder loads in a Web Worker while the page ranks, and then finds what keywords do not', async ({
    annotate,
  }) => {
    await world.visit('dinner', {
      before: `
          window.longest = 0
          new PerformanceObserver(list => {
            for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
          }).observe({ type: 'longtask' })
        `,
    })
    await world.ask(DINNER)
    await eventually(() => rankedBy()).toBe(BY_BUNDLED_MODEL)
    await eventually(() => firstName()).not.toBe('recipe-planner')
    await openPanel()
    const { count, release } = await world.hold(WEIGHTS)
    // The verdict on the message may take another number of lines with each model.
    const top = () =>
      world.page.evaluate(`{
          const box = id => document.getElementById(id).getBoundingClientRect()
          box('results').y + scrollY - box('verdict').height
        }`)
    const before = await top()
    await world.page.evaluate('window.longest = 0')
    await button('Load').focus()
    await world.page.keyboard.press('Enter')
    await eventually(() => textOf(world.focused())).toBe('Cancel')
    await panel().getByRole('progressbar', { name: 'skillshelf-encoder' }).waitFor()
    await eventually(announcement).toMatch(/^Loading skillshelf-encoder: (?:0|25|50|75)%$/)
    await eventually(count).toBeGreaterThan(0)
    // The page ranks while it loads.
    await world.ask('make slides about our launch')
    await eventually(rankedBy).toBe(BY_BUNDLED_MODEL)
    expect(await firstName()).toBe('ppt')
    await world.box().fill(DINNER)
    await button('Cancel').focus()
    await release()
    await eventually(rankedBy).toBe(BY_ENCODER)
    await eventually(() => textOf(world.focused())).toBe('Unload')
    await eventually(() => top()).toBe(before)
    await waitForText(panel(), 'In use. It loads again on your next visit.')
    await eventually(() => announcement()).toBe('skillshelf-encoder is in use')
    await eventually(() => firstName()).toBe('recipe-planner')
    await eventually(() => textOf(world.results().first().locator('.reason'))).toBe(
      'Nearest in meaning, with no word in common; this skill plans dinner or a week of meals from what is in the fridge, with recipes.',
    )
    await annotate(
      `longest task of the page while loading: ${await world.page.evaluate('window.longest')} ms`,
    )

    // The Compare view shows it beside the others.
    await panel().locator('..').getByRole('link', { name: 'Compare these rankings' }).click()
    const column = world.view().getByRole('region', { name: 'skillshelf-encoder' })
    await waitForText(column, /^(?:<0\.1|\d+\.\d) ms · 17 MB model$/)
    await eventually(() => textOf(column.getByRole('link').first())).toBe('recipe-planner')
    await world.page.keyboard.press('Escape')

    // It has nine languages. Others are ranked without it.
    await world.box().fill('Was soll ich heute Abend essen?')
    await eventually(async () => [await firstName(), await rankedBy()]).toEqual([
      'recipe-planner',
      BY_ENCODER,
    ])
    await world.box().fill('ماذا آكل الليلة؟')
    await eventually(rankedBy).toBe(BY_KEYWORDS)

    await world.box().fill(DINNER)
    await eventually(rankedBy).toBe(BY_ENCODER)
    await button('Unload').click()
    await eventually(rankedBy).toBe(BY_BUNDLED_MODEL)
    await button('Load').waitFor()
    await eventually(() => remembered()).toBeNull()
  })

  it('[CARD-2] [BY-6] the next visit loads the encoder again without a network, although it was loaded before the service worker was active, and other libraries use it too', async () => {
    const before = `{
        const { serviceWorker } = navigator
        const register = serviceWorker.register.bind(serviceWorker)
        const allowed = new Promise(resolve => { window.allowWorker = resolve })
        serviceWorker.register = async (...args) => (await allowed, register(...args))
      }`
    await world.visit('few', { worker: true, before })
    await openPanel()
    await button('Load').click()
    await button('Unload').waitFor()
    await eventually(() => remembered()).toBe('skillshelf-encoder')
    await world.page.evaluate('window.allowWorker()')
    await eventually(world.footer).toMatch(/ · works offline$/)
    const kept = `caches.keys().then(async names => {
        const own = await caches.open(names.find(name => name.startsWith('skillshelf-page')))
        return (await own.keys()).map(({ url }) => url)
      })`
    for (const file of [
      /\/ort-[^/]*\.wasm$/,
      /\/ort-[^/]*\.mjs$/,
      /\.worker-[^/]*\.js$/,
      /\/transformers\./,
    ])
      await eventually(async () => (await world.page.evaluate(kept)) as string[]).toContainEqual(
        expect.stringMatching(file),
      )
    await world.goOffline()
    await world.page.reload()
    await world.box().fill(DINNER)
    await eventually(rankedBy).toBe(BY_ENCODER)
    await eventually(() => firstName()).toBe('recipe-planner')

    await world.goOnline()
    await world.page.getByRole('button', { name: 'Open library' }).click()
    await world.page.locator('#address').fill(`${world.otherOrigin}/garden/`)
    await world.page.keyboard.press('Enter')
    await eventually(() => world.results().count()).toBe(2)
    await world.box().fill('cut back the thorny shrubs')
    await eventually(rankedBy).toBe(BY_ENCODER)
    await eventually(() => firstName()).toBe('roses')
  })

  it('[CARD-5] axe finds no violation in Chinese while the encoder loads, and after it failed to', async () => {
    await world.visit('few', { locale: 'zh-CN', bypassCSP: true })
    const { page } = world
    await world.ask(DINNER)
    const violations: string[] = []
    const check = async (state: string): Promise<void> => {
      violations.push(...(await world.axeViolations(state, [])))
      await world.expectNoOverflow(state, [320, 768, 1280])
    }
    await page.locator('#models summary').click()
    const { count, release } = await world.hold(WEIGHTS)
    const press = () => page.locator('#models .actions button:visible').click()
    await press()
    await eventually(count).toBeGreaterThan(0)
    await check('loading')
    await press()
    await page.unroute(WEIGHTS)
    await release()
    await page.route(WEIGHTS, route => route.fulfill({ status: 503 }))
    await press()
    await page.locator('#models .actions button:nth-child(2)').waitFor()
    await check('failed')
    expect(violations).toEqual([])
    world.allow(/^Failed to load resource: .*503/)
  })
})
