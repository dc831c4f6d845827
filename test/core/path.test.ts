import { expect, it } from 'vitest'
import { safePath } from '../../src/skill/path.js'

it('[BY-9] folds what is harmless', () => {
  expect(safePath('./references//a.md')).toBe('references/a.md')
})
