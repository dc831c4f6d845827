// Run with: node --test slug.test.js
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { slug } from './slug.js'

describe('slug', () => {
  test('words are joined by hyphens', () => {
    assert.equal(slug('Three ways to bake'), 'three-ways-to-bake')
  })

  test('accents are removed', () => {
    assert.equal(slug('Crème brûlée'), 'creme-brulee')
  })

  test('other scripts are kept', () => {
    assert.equal(slug('春节 食谱'), '春节-食谱')
  })

  for (const title of ['', '   ', '!!!'])
    test(`${JSON.stringify(title)} has no usable letter`, () => {
      assert.equal(slug(title), 'untitled')
    })

  test('a long title is cut, and does not end in a hyphen', () => {
    assert.equal(slug(`${'a'.repeat(39)} b`), 'a'.repeat(39))
  })
})
