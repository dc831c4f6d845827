import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, packed } from './page-world.js'

const WIDE = 1920
/** Its instructions are long, and link to a file at their end. */
const GUIDE = {
  'guide/SKILL.md': `---
name: guide
description: Explains the garden at length.
---
${'Water the roses in the morning.\n\n'.repeat(60)}See the [tools](tools.md).
`,
  'guide/tools.md': 'shears',
}
/** Skills with long names, and messages for them of which some fail. */
const TESTED = {
  'performance-profiling/SKILL.md':
    '---\nname: performance-profiling\ndescription: Profiles a slow program.\n---\nMeasure.\n',
  'performance-profiling/triggers.yaml':
    '- message: profile the program\n- message: request an improvement of the product\n',
  'product-requirements/SKILL.md':
    '---\nname: product-requirements\ndescription: Writes requests for a product.\n---\nAsk.\n',
  'product-requirements/triggers.yaml':
    '- message: a request for the product\n- message: why is this program slow\n- message: zzyzx\n  skill: none\n',
}
/** Skills are named in full in a window of this width. */
const NARROW = 360

interface Sized {
  offsetHeight: number
}

describePage(
  'the demo page in wide and narrow windows',
  { guide: () => packed(memory(GUIDE)), tested: () => packed(memory(TESTED)) },
  world => {
    const edges = async (selector: string): Promise<{ left: number; right: number }> => {
      const box = await world.page.locator(selector).last().boundingBox()
      return {
        left: box?.x ?? Number.NaN,
        right: (box?.x ?? Number.NaN) + (box?.width ?? Number.NaN),
      }
    }
    /** Asserts that an element ends where the page does. */
    const reachesTheEdge = async (selector: string): Promise<void> => {
      const { right } = await edges('.tools')
      expect([selector, Math.abs((await edges(selector)).right - right) < 10]).toEqual([
        selector,
        true,
      ])
    }
    const runTests = async (): Promise<void> => {
      await world.view().getByRole('button', { name: 'Rank their messages' }).click()
      await eventually(() => world.page.locator('.report section').count()).toBe(1)
    }

    it('[CARD-5] the views use the whole width of a wide window', async () => {
      await world.visit('samples', { hash: '#/tokens', width: WIDE, bypassCSP: true })
      await world.view().locator('.grow').waitFor()
      await reachesTheEdge('.grow')
      await world.page.goto(`${world.origin}/samples/#/prompts`)
      await world.view().locator('.level').last().waitFor()
      await reachesTheEdge('.level')
      await world.page.goto(`${world.origin}/samples/#/skill/skills/book-flight`)
      await world.skill().locator('.files').first().waitFor()
      await reachesTheEdge('.skill > .level')
      // The narrowest window with a second column has room for the names of files.
      await world.page.setViewportSize({ width: 1720, height: 800 })
      const names = world.skill().locator('.path')
      const heights = await names.evaluateAll(all =>
        all.map(one => (one as unknown as Sized).offsetHeight),
      )
      expect(new Set(heights).size).toBe(1)
      expect(await world.axeViolations('a skill in a wide window', ['light', 'dark'])).toEqual([])
    })

    it('[CARD-5] the tests use the whole width of a wide window', async () => {
      await world.visit('tested', { hash: '#/tests', width: WIDE })
      await runTests()
      await reachesTheEdge('.report section')
      await world.view().getByRole('button', { name: 'Show all 5' }).click()
      await world.view().locator('.cases').last().waitFor()
      await reachesTheEdge('.cases')
    })

    it('[CARD-5] in a wide window a file opens beside the link that opens it, which stays where it is', async () => {
      await world.visit('guide', { hash: '#/skill/skills/guide', width: WIDE })
      const link = world.skill().locator('.prose').getByRole('button', { name: 'tools' })
      await link.scrollIntoViewIfNeeded()
      await eventually(() => world.page.evaluate('scrollY')).toBeGreaterThan(0)
      const top = async () => (await link.boundingBox())?.y ?? Number.NaN
      const before = await top()
      await link.click()
      await world.preview().waitFor()
      await eventually(() => world.focused().textContent()).toContain('tools.md')
      await eventually(async () => Math.abs((await top()) - before)).toBeLessThan(30)
      const { right } = await edges('.prose')
      await eventually(async () => (await edges('.preview:not([hidden])')).left).toBeGreaterThan(
        right,
      )
    })

    it('[CARD-5] a narrow window names each skill of the tests on one line', async () => {
      await world.visit('tested', { hash: '#/tests', width: NARROW, bypassCSP: true })
      await runTests()
      await world.view().getByRole('button', { name: 'Show all 5' }).click()
      const names = world.view().locator('.cases tbody td:nth-child(3)')
      await eventually(() => names.count()).toBe(5)
      const heights = await names.evaluateAll(cells =>
        cells.map(cell => (cell as unknown as Sized).offsetHeight),
      )
      expect(Math.max(...heights)).toBe(Math.min(...heights))
      expect(Math.max(...heights)).toBeGreaterThan(0)
      expect(await world.axeViolations('tests in a narrow window', ['light', 'dark'])).toEqual([])
    })
  },
)
