import { describe, expect, it } from 'vitest'
import {
  plainLine,
  showHidden,
  showHiddenKeepingLines,
  visibleJson,
} from '../../src/core/sanitize.js'

/** Characters that leave no mark, of every class. */
const CLASSES: Readonly<Record<string, string>> = {
  'C0 control': '\u001b',
  delete: '\u007f',
  'C1 control': '\u009b',
  'soft hyphen': '\u00ad',
  'grapheme joiner': '\u034f',
  'Arabic letter mark': '\u061c',
  'Hangul filler': '\u3164',
  'zero-width space': '\u200b',
  'zero-width non-joiner': '\u200c',
  'zero-width joiner': '\u200d',
  'left-to-right mark': '\u200e',
  'line separator': '\u2028',
  'right-to-left override': '\u202e',
  'word joiner': '\u2060',
  isolate: '\u2066',
  'variation selector': '\ufe0f',
  'byte order mark': '\ufeff',
  annotation: '\ufff9',
  'musical control': '\u{1d173}',
  tag: '\u{e0041}',
  'variation selector supplement': '\u{e0101}',
}
const codeOf = (one: string): string =>
  (one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')

describe('hidden characters', () => {
  it('[BY-9] showHidden shows the code point of every class', () => {
    for (const [name, one] of Object.entries(CLASSES)) {
      expect([name, showHidden(`pd${one}f`)]).toEqual([name, `pd[U+${codeOf(one)}]f`])
      const shown = one === '\u2028' || one === '\ufeff' ? 'pd f' : `pd[U+${codeOf(one)}]f`
      expect([name, plainLine(`pd${one}f`)]).toEqual([name, shown])
    }
  })

  it('[BY-9] characters that ordinary text needs stay', () => {
    for (const text of [
      'a family 👨‍👩‍👧‍👦, a pilot 👩🏽‍✈️, a heart ❤️‍🔥 and a flag 🏳️‍🌈',
      'keycap 1️⃣ #️⃣, text style ☎︎, sign ©️',
      'Persian می‌خواهم and خانه‌های',
      'Hindi क्‍ष, Malayalam അവന്‍ and Bengali র‍্যাব',
      'Thai ภาษา\u200bไทย and Khmer ភាសា\u200bខ្មែរ',
      'ideographs 葛\u{e0100}城 and 神\ufe00',
      'Mongolian ᠮᠤᠩᠭᠤ\u180b',
      'lines\n\tand tabs, ñ, 図, ﷽, ۝',
    ])
      expect(showHidden(text)).toBe(text)
  })

  it('[BY-9] the same characters are shown where ordinary text does not have them', () => {
    expect(showHidden('p\u200dd\u200cf')).toBe('p[U+200D]d[U+200C]f')
    expect(showHidden('😀\u200d')).toBe('😀[U+200D]')
    expect(showHidden('می\u200c\u200c\u200dخ')).toBe('می\u200c[U+200C][U+200D]خ')
    expect(showHidden('❤\ufe0f\ufe0f\ufe0e')).toBe('❤\ufe0f[U+FE0F][U+FE0E]')
    expect(showHidden('a\ufe0f 1\ufe0f')).toBe('a[U+FE0F] 1[U+FE0F]')
    expect(showHidden('葛\u{e0100}\u{e0101}a\u{e0100}')).toBe('葛\u{e0100}[U+E0101]a[U+E0100]')
    // The flag of England spells "gbeng" in tags.
    expect(showHidden('🏴\u{e0067}\u{e0062}\u{e007f}')).toBe('🏴[U+E0067][U+E0062][U+E007F]')
  })

  it('[BY-9] line endings are normalized, or kept on request', () => {
    expect(showHidden('a\r\nb\rc')).toBe('a\nb\nc')
    expect(showHiddenKeepingLines('a\r\nb\rc')).toBe('a\r\nb[U+000D]c')
    expect(showHidden(showHidden('a\u202e'))).toBe('a[U+202E]')
  })

  it('[BY-9] JSON has every class as an escape, and the same value', () => {
    const value = { name: Object.values(CLASSES).join('-'), list: ['می‌خواهم ❤️'] }
    for (const indent of [undefined, 2]) {
      const json = visibleJson(value, indent)
      expect(JSON.parse(json)).toEqual(value)
      expect(json).toContain('می‌خواهم ❤️')
      expect(json).toContain('\\ufeff')
      expect(json).toContain('\\udb40\\udc41')
      const names = visibleJson(value.name, indent)
      for (const [name, one] of Object.entries(CLASSES))
        expect([name, names.includes(one)]).toEqual([name, false])
    }
  })

  it('[BY-9] a megabyte of hidden characters takes linear time', () => {
    expect(showHidden('\u200b'.repeat(100_000))).toBe('[U+200B]'.repeat(100_000))
  })
})
