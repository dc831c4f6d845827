import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Route } from 'playwright'
import { describe, expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, hasModels, packed, textOf } from './page-world.js'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** No skill has its words, and the bundled model is misled by them. */
const SUPPER = 'something tasty for supper'
const WORDS = 'Finds by words alone'
const BUNDLED = 'Finds by words and the bundled model'
const MINILM = 'Finds by words and all-MiniLM-L6-v2'
const SEARCH = '?models=/models/'

const GARDEN = {
  'roses/SKILL.md': '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud.\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig three inches.\n',
}

describePage(
  'the demo page and its models',
  async () => ({ garden: await packed(memory(GARDEN)) }),
  world => {
    const answers = () => textOf(world.page.locator('#answers'))
    const panel = () => world.page.getByRole('list', { name: 'Models' })
    const button = (name: string) => panel().getByRole('button', { name, exact: true })
    const spoken = () => panel().getByRole('status')
    const firstName = () => textOf(world.results().first().locator('.name'))
    const chosen = () => world.page.evaluate(`localStorage.getItem('skillshelf.model')`)
    const byMiniLm = () => eventually(answers).toBe(MINILM)
    const openPanel = async (): Promise<void> => {
      await world.page.locator('#models summary').click()
      await panel().waitFor()
    }
    /** Holds requests back. */
    const hold = async (files: RegExp): Promise<{ held: () => number; release: () => Promise<void> }> => {
      const routes: Route[] = []
      let free = false
      await world.page.route(files, async route => {
        if (free) await route.continue()
        else routes.push(route)
      })
      return {
        held: () => routes.length,
        async release() {
          free = true
          // Those of a page that was left are gone.
          await Promise.all(routes.map(route => route.continue().catch(() => {})))
        },
      }
    }
    /** As `visit`, with requests held back from the start. */
    const visitHolding = async (files: RegExp, search = '') => {
      await world.visit('samples', { search })
      const gate = await hold(files)
      await world.page.reload()
      return gate
    }

    it('[BY-1] answers by words at once, and by the bundled model when it is there, where the person is', async () => {
      const { held, release } = await visitHolding(/\/latin-128-[^/]*\.bin$/)
      await world.box().fill('tell me what a picture weighs')
      await world.results().first().locator('.confidence').waitFor()
      expect(await answers()).toBe(WORDS)
      await eventually(held).toBeGreaterThan(0)
      await world.box().press('ArrowDown')
      const focused = world.page.locator(':focus')
      const line = await focused.getAttribute('href')
      await release()
      await eventually(answers).toBe(BUNDLED)
      expect([line, await world.box().getAttribute('href')]).toContain(await focused.getAttribute('href'))
      await openPanel()
      await panel().getByText('In use.').waitFor()
    })

    it('[BY-1] lets no Chinese message wait for the part of the model that reads it', async () => {
      const { held, release } = await visitHolding(/\/han-128-[^/]*\.bin$/)
      await world.ask('book a flight')
      expect([await answers(), held()]).toEqual([BUNDLED, 0])
      await world.box().fill('我想订一张去东京的机票')
      await eventually(answers).toBe(WORDS)
      await eventually(held).toBeGreaterThan(0)
      await release()
      await eventually(answers).toBe(BUNDLED)
      await eventually(firstName).toBe('book-flight')
    })

    it('[BY-1] goes on by words where a library has no vectors, or the model cannot be loaded, and says so', async () => {
      await world.visit('garden')
      await world.ask('prune the roses')
      expect(await answers()).toBe(WORDS)
      await openPanel()
      await panel().getByText('packed without --meaning').waitFor()
      expect(await world.page.locator('#notes').textContent()).toBe('')

      await world.page.route(/\/latin-128-[^/]*\.bin$/, route => route.fulfill({ status: 503 }))
      await world.page.goto(`${world.origin}/samples/`)
      await world.ask('book a flight')
      expect([await answers(), await firstName()]).toEqual([WORDS, 'book-flight'])
      await openPanel()
      await panel().getByText('It could not be loaded. Words go on.').waitFor()
      world.allow(/^Failed to load resource: .*503/)
    })

    it('[CARD-2] says that a transformer cannot be loaded, and goes on', async () => {
      await world.visit('samples', { search: '?models=/nowhere/' })
      await world.ask('book a flight')
      await openPanel()
      await button('Load it').focus()
      await world.page.keyboard.press('Enter')
      await panel().getByText('It could not be loaded. The page goes on without it.').waitFor()
      await panel().getByText('/nowhere/Xenova/all-MiniLM-L6-v2/').first().waitFor()
      expect(await textOf(spoken())).toBe('all-MiniLM-L6-v2 could not be loaded')
      expect(await textOf(world.page.locator(':focus'))).toBe('Try again')
      expect(await chosen()).toBeNull()
      await world.ask('make slides about our launch')
      expect([await answers(), await firstName()]).toEqual([BUNDLED, 'PPT生成'])
      world.allow(/404/)
    })

    it('[CARD-2] takes files of models from this host alone, or from their hub', async () => {
      await world.visit('samples', { search: '?models=//outside.invalid/models/' })
      await openPanel()
      const asked: string[] = []
      await world.page.route(/^https:\/\//, route => {
        asked.push(new URL(route.request().url()).host)
        return route.abort()
      })
      await button('Load it').click()
      await button('Try again').waitFor()
      expect([...new Set(asked)]).toEqual(['huggingface.co'])
      world.allow(/ERR_FAILED|request: https:\/\/huggingface\.co\//)
    })

    describe.skipIf(!hasModels)(`with all-MiniLM-L6-v2${hasModels ? '' : ' (../shared/models is missing)'}`, () => {
      it('[CARD-2] [BY-1] loads a transformer in a Web Worker, answers meanwhile and by it, and finds what words do not', async ({
        annotate,
      }) => {
        await world.visit('samples', {
          search: SEARCH,
          before: `
            window.longest = 0
            new PerformanceObserver(list => {
              for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
            }).observe({ type: 'longtask' })
          `,
        })
        await world.ask(SUPPER)
        expect(await answers()).toBe(BUNDLED)
        expect(await firstName()).not.toBe('recipe-planner')
        await openPanel()
        const results = world.page.locator('#results')
        const { held, release } = await hold(/model_quantized\.onnx$/)
        const before = (await results.boundingBox())?.y
        await world.page.evaluate('window.longest = 0')
        await button('Load it').focus()
        await world.page.keyboard.press('Enter')
        await eventually(() => textOf(world.page.locator(':focus'))).toBe('Cancel')
        await panel().getByRole('progressbar', { name: 'all-MiniLM-L6-v2' }).waitFor()
        await eventually(() => textOf(spoken())).toMatch(/^Loading all-MiniLM-L6-v2: (?:0|25|50|75)%$/)
        await eventually(held).toBeGreaterThan(0)
        // Nothing waits for it.
        await world.ask('make slides about our launch')
        expect([await answers(), await firstName()]).toEqual([BUNDLED, 'PPT生成'])
        await world.box().fill(SUPPER)
        await button('Cancel').focus()
        await release()
        await byMiniLm()
        await eventually(() => textOf(world.page.locator(':focus'))).toBe('Stop using it')
        expect((await results.boundingBox())?.y).toBe(before)
        await panel()
          .getByText(`In use, from ${new URL(world.origin).host}/models/.`)
          .waitFor()
        expect(await textOf(spoken())).toBe('all-MiniLM-L6-v2 is in use')
        expect(await firstName()).toBe('recipe-planner')
        expect(await textOf(world.results().first().locator('.reason'))).toBe('close in meaning')
        await annotate(`longest task of the page meanwhile: ${await world.page.evaluate('window.longest')} ms`)

        // It reads English only.
        await world.ask('帮我调研AI市场')
        await eventually(answers).toBe(BUNDLED)
        expect(await firstName()).toBe('深度研究')

        await world.box().fill(SUPPER)
        await byMiniLm()
        await button('Stop using it').click()
        await eventually(answers).toBe(BUNDLED)
        await button('Load it').waitFor()
        expect(await chosen()).toBeNull()
      })

      it('[CARD-2] stops while it loads', async () => {
        await world.visit('samples', { search: SEARCH })
        await world.ask(SUPPER)
        await openPanel()
        const { held, release } = await hold(/model_quantized\.onnx$/)
        await button('Load it').click()
        await eventually(held).toBeGreaterThan(0)
        await button('Cancel').focus()
        await world.page.keyboard.press('Enter')
        await button('Load it').waitFor()
        expect(await textOf(world.page.locator(':focus'))).toBe('Load it')
        expect([await answers(), await chosen(), await textOf(spoken())]).toEqual([BUNDLED, null, ''])
        await world.page.unroute(/model_quantized\.onnx$/)
        await release()
        await button('Load it').click()
        await byMiniLm()
      })

      it('[CARD-2] loads it again by itself on the next visit, and takes it along to another library', async () => {
        await world.visit('samples', { search: SEARCH })
        await openPanel()
        await button('Load it').click()
        await button('Stop using it').waitFor()
        expect(await chosen()).toBe('all-MiniLM-L6-v2')
        await world.page.reload()
        await world.box().fill(SUPPER)
        await byMiniLm()
        expect(await firstName()).toBe('recipe-planner')

        await world.page.getByRole('button', { name: 'Open a library' }).click()
        await world.page.locator('#address').fill(`${world.elsewhere}/garden/`)
        await world.page.keyboard.press('Enter')
        await eventually(() => world.results().count()).toBe(2)
        expect(new URL(world.page.url()).searchParams.get('models')).toBe('/models/')
        await world.box().fill('cut back the thorny shrubs')
        await byMiniLm()
        expect(await firstName()).toBe('roses')
      })

      it.each(['zh-CN'])('[CARD-5] has nothing that axe objects to while it loads and after: %s', async locale => {
        await world.visit('samples', { search: SEARCH, locale, bypassCSP: true })
        const { page } = world
        await world.ask(SUPPER)
        await page.evaluate(axe)
        const found: string[] = []
        const look = async (state: string): Promise<void> => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            const { violations } = (await page.evaluate('axe.run()')) as {
              violations: { id: string; nodes: { html: string }[] }[]
            }
            found.push(...violations.map(({ id, nodes }) => `${state}, ${colorScheme}: ${id}: ${nodes[0]?.html}`))
          }
          for (const width of [320, 768, 1280]) {
            await page.setViewportSize({ width, height: 800 })
            const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
            expect([state, width, await page.evaluate(overflow)]).toEqual([state, width, 0])
          }
        }
        await page.locator('#models summary').click()
        const { held, release } = await hold(/model_quantized\.onnx$/)
        const press = () => page.locator('#models .actions button:visible').click()
        await press()
        await eventually(held).toBeGreaterThan(0)
        await look('loading')
        await release()
        await page.locator('#answers').getByText('all-MiniLM-L6-v2').waitFor()
        await look('in use')
        await page.route(/config\.json$/, route => route.fulfill({ status: 503 }))
        await press()
        await page.evaluate(`caches.delete('transformers-cache')`)
        await press()
        await page.locator('#models .actions button:nth-child(2)').waitFor()
        await look('failed')
        expect(found).toEqual([])
        world.allow(/^Failed to load resource: .*503/)
      })
    })
  },
)
