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
/** Skills are named in full in a window of this width. */
const NARROW = 360

interface Sized {
  offsetHeight: number
}

describePage(
  'the demo page in wide and narrow windows',
  { guide: () => packed(memory(GUIDE)) },
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
      await eventually(() => world.page.locator('.report section').count()).toBe(2)
    }

    it('[CARD-5] the views use the whole width of a wide window', async () => {
      const visit = (hash: string) => world.visit('samples', { hash, width: WIDE, bypassCSP: true })
      await visit('#/tokens')
      await world.view().locator('.grow').waitFor()
      await reachesTheEdge('.grow')
      await visit('#/prompts')
      await world.view().locator('.level').last().waitFor()
      await reachesTheEdge('.level')
      await visit('#/tests')
      await runTests()
      await reachesTheEdge('.report section')
      await world.view().getByRole('button', { name: 'Show all 40' }).click()
      await world.view().locator('.cases').last().waitFor()
      await reachesTheEdge('.cases')
      await visit('#/skill/skills/book-flight')
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
      await world.visit('samples', { hash: '#/tests', width: NARROW, bypassCSP: true })
      await runTests()
      await world.view().getByRole('button', { name: 'Show all 40' }).click()
      const names = world.view().locator('.cases tbody td:nth-child(3)')
      await eventually(() => names.count()).toBe(40)
      const heights = await names.evaluateAll(cells =>
        cells.map(cell => (cell as unknown as Sized).offsetHeight),
      )
      expect(Math.max(...heights)).toBe(Math.min(...heights))
      expect(Math.max(...heights)).toBeGreaterThan(0)
      expect(await world.axeViolations('tests in a narrow window', ['light', 'dark'])).toEqual([])
    })
  },
)
