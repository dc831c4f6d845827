import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/core/tokens.js'

describe('[TD-1] estimateTokens', () => {
  it('is 0 for an empty text and a whole number for any other', () => {
    expect(estimateTokens('')).toBe(0)
    for (const text of [
      'a',
      'éé',
      '字',
      '한',
      '12345',
      '...',
      '\n',
      ' ',
      '\t',
      '🎉',
      '\0',
      '\ud83d',
      'ไทย',
    ]) {
      const tokens = estimateTokens(text)
      expect(Number.isInteger(tokens)).toBe(true)
      expect(tokens).toBeGreaterThanOrEqual(text.trim() === '' ? 0 : 1)
    }
  })

  it.each([
    'Reads the invoices of a month and writes one table with dates, amounts and senders.',
    'Use this skill when the user asks for a chart; it needs Python 3 and matplotlib.',
    'Deploys services, migrates databases and documents every release of the platform.',
    'a b c d e f g',
  ])('is 1 to 1.6 per English word: %s', text => {
    const words = text.split(' ').length
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(words)
    expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(1.6 * words))
  })

  it.each([
    '读取一个月的发票并生成一张表格',
    '這個技能把會議記錄整理成摘要',
    '請求書を読んで表にまとめる',
    '회의록을요약해서표로만든다',
  ])('is 0.5 to 1.2 per East Asian character: %s', text => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(0.5 * text.length)
    expect(estimateTokens(text)).toBeLessThanOrEqual(1.2 * text.length)
  })

  it('never decreases when a text grows', () => {
    const text =
      'Hello, wörld! 123456 说明（1）.md\n\n\n  - `code`: e\u0301clair ไทย 한국어 🎉🎉 \u{20000} the_end --- Привет'
    for (let end = 1; end <= text.length; end++) {
      expect(
        estimateTokens(text.slice(0, end)),
        JSON.stringify(text.slice(0, end)),
      ).toBeGreaterThanOrEqual(estimateTokens(text.slice(0, end - 1)))
    }
  })

  it('is additive over lines', () => {
    const line = 'One line of plain words.\n'
    expect(estimateTokens(line.repeat(100))).toBeLessThanOrEqual(100 * estimateTokens(line))
    expect(estimateTokens(line.repeat(100))).toBeGreaterThan(99 * (estimateTokens(line) - 1))
  })

  it.each(['x', ' ', '-', '1', '字', '\n', 'a.', '\u0301', 'é', '🎉'])(
    '[BY-9] a megabyte of %j',
    unit => {
      const tokens = estimateTokens(unit.repeat(1_000_000 / unit.length))
      expect(tokens).toBeGreaterThanOrEqual(1)
      expect(tokens).toBeLessThanOrEqual(1_000_000)
    },
  )
})
