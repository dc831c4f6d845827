import { expect, it } from 'vitest'
import { BY_BUNDLED_MODEL, describePage, textOf } from './page-world.js'

/** Loads when the page has answered: examples, and what makes it work offline. */
const LATER = /\/(?:ways|texts-\w+-more|hidden-text|copy-button|register|keep)-[^/]*\.js$/

/** What a first visit requests until the page answers its own message by meaning, from a host without caching. */
describePage('the demo page and its requests', {}, world => {
  it.each([
    ['en-US', BY_BUNDLED_MODEL],
    ['zh-CN', '按关键词和内置模型排序'],
  ])('[BY-34] answers by meaning after ten requests: %s', async (locale, rankedBy) => {
    await world.visit('samples', { locale })
    await world.modelsAreReady()
    await world.page.locator('#demonstration .match').first().waitFor()
    expect(await textOf(world.page.locator('#ranked-by'))).toBe(rankedBy)
    const loaded = (await world.page.evaluate(
      `['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type)).map(({ name }) => new URL(name).pathname)`,
    )) as string[]
    const requested = loaded.filter(path => !LATER.test(path))
    expect(requested.length).toBeLessThanOrEqual(10)
    expect(requested.filter(path => /\/(?:latin|han)-[^/]*\.gzip$/.test(path))).toEqual([])
  })
})
