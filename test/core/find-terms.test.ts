import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { findTerms } from '../../src/exports/match.js'

const lit = (text: string, terms: readonly string[]): string[] =>
  findTerms(text, terms).map(({ start, end }) => text.slice(start, end))

describe('findTerms', () => {
  it('[BY-3] finds whole words regardless of case, accents and width', () => {
    expect(lit('Slides, slideshow, SLIDES; my-slides.', ['slides'])).toEqual([
      'Slides',
      'SLIDES',
      'slides',
    ])
    expect(lit('Une présentation très ｃｌａｉｒ', ['presentation', 'clair'])).toEqual([
      'présentation',
      'ｃｌａｉｒ',
    ])
    expect(lit('nai\u0308ve naïve', ['naive'])).toEqual(['nai\u0308ve', 'naïve'])
  })

  it('[BY-3] finds a camelCase word by its parts and as a whole', () => {
    expect(lit('Push to GitHub with openPullRequest.', ['github', 'pull'])).toEqual([
      'GitHub',
      'openPullRequest',
    ])
  })

  it('[BY-3] [BY-4] finds pairs of neighboring ideographs in both scripts', () => {
    expect(lit('深度調研市場，市调', ['调研市场'])).toEqual(['調研市場'])
    expect(lit('市场调研和研究', ['调研市场'])).toEqual(['市场调研'])
    expect(lit('研究', ['调研'])).toEqual([])
    expect(lit('AI市场分析AI', ['ai', '市场'])).toEqual(['AI市场', 'AI'])
    expect(lit('夕飯の献立をどうしよう 김치찌개', ['献立', '김치'])).toEqual(['献立', '김치'])
    expect(lit('𠮷野家の牛丼', ['𠮷野'])).toEqual(['𠮷野'])
  })

  it('returns sorted ranges that do not touch, and no ranges without terms', () => {
    expect(findTerms('a b a', ['a'])).toEqual([
      { start: 0, end: 1 },
      { start: 4, end: 5 },
    ])
    expect(findTerms('a b a', [])).toEqual([])
    expect(findTerms('', ['a'])).toEqual([])
    expect(findTerms('🎉 party 🎉', ['party'])).toEqual([{ start: 3, end: 8 }])
  })

  it('[BY-3] finds every term of a match in the fields that the match names', async () => {
    await using library = await openLibrary(
      memory({
        'ppt/SKILL.md':
          '---\nname: ppt\ndescription: 製作簡報 and PowerPoint slides\n---\nDraw a chart for résumés.',
      }),
      { embedder: false },
    )
    const skill = await library.get('ppt')
    const { matches } = await library.search(
      'powerpoint Slides 制作简报 with a chart for my resumes',
    )
    const terms = matches[0]?.signals.terms ?? []
    expect(terms.length).toBeGreaterThan(4)
    for (const { term, fields } of terms)
      expect(
        lit(fields.includes('description') ? skill.description : skill.text, [term]),
        term,
      ).not.toEqual([])
  })
})
