import { describe, expect, it } from 'vitest'
import { analyze, PAIR, SEQUENCE, sequenceOf, TERM } from '../../src/core/text/analyze.js'
import {
  divideDescription,
  removeNegatedClauses,
} from '../../src/core/text/description-negation.js'

/** The emitted texts with one of these flags. */
const emitted = (text: string, kind: number): string[] => {
  const found: string[] = []
  analyze(text, (one, of) => {
    if (of & kind) found.push(one)
  })
  return found
}
const terms = (text: string): string[] => [...new Set(emitted(text, TERM))].sort()

describe('words', () => {
  it.each<[string, string, string[]]>([
    ['English', 'Find tables, in PDF-files!', ['find', 'tables', 'in', 'pdf', 'files']],
    ['digits in words', 'mi300x v2 gpt4', ['mi300x', 'v2', 'gpt4']],
    ['numbers', '3.5 and 1,000', ['3', '5', 'and', '1', '000']],
    ['accents', 'Café NAÏVE nai\u0308ve Ångström', ['cafe', 'naive', 'naive', 'angstrom']],
    ['full width', 'ＰＤＦ２', ['pdf2']],
    ['Cyrillic', 'Привет МИР', ['привет', 'мир']],
    ['Greek', 'ΑΒΓ', ['αβγ']],
    ['Hindi, with its marks', 'हिन्दी पाठ', ['हिन्दी', 'पाठ']],
    ['Arabic, with its digits', 'ملف جديد ٣٤', ['ملف', 'جديد', '٣٤']],
    ['ligatures', 'ﬁle', ['file']],
    ['emoji', '🎉 party 👩‍👩‍👧', ['party']],
    ['only punctuation', '… — !?', []],
    ['an empty text', '', []],
  ])('[BY-1] %s', (_, text, words) => {
    expect(sequenceOf(text)).toEqual(words)
    expect(emitted(text, PAIR)).toEqual(words)
    expect(emitted(text, TERM)).toEqual(words)
  })

  it.each<[string, string[]]>([
    ['parseFile', ['file', 'parse']],
    ['HTTPServer', ['http', 'server']],
    ['useJSONSchema', ['json', 'schema', 'use']],
  ])('[BY-1] the parts of %s are terms', (text, parts) => {
    expect(terms(text)).toEqual(expect.arrayContaining(parts))
  })

  it.each(['PDF', 'Pdf', 'PPTX', 'pdf2go'])('[BY-1] %s is one word', text => {
    expect(terms(text)).toEqual([text.toLowerCase()])
  })

  it('[BY-9] a long word becomes a short term', () => {
    for (const word of ['x'.repeat(100_000), 'é'.repeat(100_000), 'я'.repeat(100_000)]) {
      const [term, ...rest] = emitted(word, TERM)
      expect(rest).toEqual([])
      expect(term?.length).toBeLessThanOrEqual(40)
    }
  })
})

describe('scripts without spaces', () => {
  it('[BY-4] Chinese becomes 1-, 2- and 3-grams, and single ideographs in the sequence', () => {
    expect(terms('市场报告')).toEqual(
      ['市', '市场', '市场报', '场', '场报', '场报告', '报', '报告', '告'].sort(),
    )
    expect(sequenceOf('市场报告')).toEqual(['市', '场', '报', '告'])
    expect(emitted('市场报告', PAIR)).toEqual([])
  })

  it.each([
    ['市场调研', '市場調研'],
    ['制作演示文稿', '製作演示文稿'],
    ['数据分析与图表', '數據分析與圖表'],
    ['头发发展', '頭髮發展'],
    ['后台里面', '後臺裡面'],
    ['干杯', '乾杯'],
  ])('[BY-4] %s and %s have the same terms', (simplified, traditional) => {
    expect(terms(traditional)).toEqual(terms(simplified))
    expect(sequenceOf(traditional)).toEqual([...simplified])
  })

  it.each<[string, string, string[], string[]]>([
    ['Japanese kana', 'きたい', ['きた', 'きたい', 'たい'], ['き', 'た', 'い']],
    ['half-width kana', 'ｶﾀﾅ', ['カタ', 'カタナ', 'タナ'], ['カ', 'タ', 'ナ']],
    ['long vowels', 'データ', ['デー', 'データ', 'ータ'], ['デ', 'ー', 'タ']],
    ['Korean', '한국어', ['한국', '한국어', '국어'], ['한', '국', '어']],
    [
      'Korean, decomposed',
      '한국어'.normalize('NFD'),
      ['한국', '한국어', '국어'],
      ['한', '국', '어'],
    ],
    ['Thai', 'ไทย', ['ไท', 'ไทย', 'ทย'], ['ไ', 'ท', 'ย']],
  ])(
    '[BY-4] %s becomes 2- and 3-grams, and single characters only in the sequence',
    (_, text, grams, sequence) => {
      expect(terms(text)).toEqual([...grams].sort())
      expect(sequenceOf(text)).toEqual(sequence)
    },
  )

  it('[BY-4] a single kana is a term', () => {
    expect(terms('へ')).toEqual(['へ'])
  })

  it('[BY-4] mixed text is split at every change of script', () => {
    expect(sequenceOf('用Python3写東京のPPT')).toEqual([
      '用',
      'python3',
      '写',
      '东',
      '京',
      'の',
      'ppt',
    ])
    expect(terms('写PPT')).toEqual(['ppt', '写'])
  })
})

describe('long texts', () => {
  it.each([
    'word ',
    '市场',
    'aB',
    'ไทย',
    '🎉',
    '\u0301\u0316',
    'é\u0316\u0301',
    '\ufdfa',
    ' ',
    'a.',
  ])('[BY-9] 200,000 characters of %j', unit => {
    let count = 0
    analyze(unit.repeat(200_000 / unit.length), () => void count++)
    expect(count).toBeLessThan(5_000_000)
    expect(count > 0).toBe(/[\p{L}\p{M}]/u.test(unit))
  })

  it('[BY-9] only runs of marks that no language uses are truncated', () => {
    const mark = '\u0301'
    expect(terms(`q${mark.repeat(7)}`)).toEqual(terms(`q${mark.repeat(7)}`.normalize('NFKC')))
    expect(sequenceOf(`a${'\u0301\u0316'.repeat(100_000)} b`).at(-1)).toBe('b')
  })

  it('the same text gives the same terms in the same order', () => {
    const text = '用Python写調研 report2 カタ'
    const first = emitted(text, TERM | SEQUENCE)
    analyze('something else 別的', () => {})
    expect(emitted(text, TERM | SEQUENCE)).toEqual(first)
  })
})

describe('removeNegatedClauses', () => {
  it.each<[string, string, string]>([
    [
      'do not use',
      'Makes charts. Do NOT use for maps, use geo instead. Exports PNG.',
      'Makes charts. \n Exports PNG.',
    ],
    ["don't use when", "Makes charts. Don't use when the data is a map.", 'Makes charts. \n'],
    ['curly apostrophe', 'Makes charts. Don’t use it for maps.', 'Makes charts. \n'],
    ['not for, within a sentence', 'Makes charts (not for maps or globes).', 'Makes charts (\n'],
    [
      'should not be used',
      'This should not be used for maps. Makes charts.',
      'This \n Makes charts.',
    ],
    ['never use', 'Makes charts; never use with maps; exports PNG', 'Makes charts; \n exports PNG'],
    ['skip this', 'Makes charts. Skip this for maps.', 'Makes charts. \n'],
    ['out of scope', 'Makes charts. Out of scope: maps, globes', 'Makes charts. \n'],
    [
      'not intended',
      'Makes charts.\nNot intended for v1.0 maps.\nExports PNG.',
      'Makes charts.\n\n Exports PNG.',
    ],
    [
      'another skill',
      'Makes charts. Not for maps. Use geo for that. Exports PNG.',
      'Makes charts. \n Exports PNG.',
    ],
    ['Chinese', '生成图表。不要用于地图，请用地理技能。导出图片。', '生成图表。\n导出图片。'],
    ['Chinese, Traditional', '生成圖表。請勿用於地圖。匯出圖片。', '生成圖表。\n匯出圖片。'],
    [
      'Chinese, and elsewhere',
      '生成图表。不适用于地图。请改用地理技能。导出图片。',
      '生成图表。\n导出图片。',
    ],
    ['Japanese', 'グラフを作る。地図には使用しない。', 'グラフを作る。\n'],
    [
      'Japanese, after a comma',
      'グラフを作り、表も整え、地図には使用しない。',
      'グラフを作り、表も整え、\n',
    ],
    ['Korean', '차트를 만듭니다. 지도에는 사용하지 마세요.', '차트를 만듭니다.\n'],
    ['German', 'Erstellt Diagramme. Nicht für Karten verwenden.', 'Erstellt Diagramme. \n'],
    [
      'German, at the end',
      'Erstellt Diagramme, für Karten nicht geeignet.',
      'Erstellt Diagramme,\n',
    ],
    ['French', 'Crée des graphiques. Ne pas utiliser pour les cartes.', 'Crée des graphiques. \n'],
    ['Portuguese', 'Cria gráficos. Não usar para mapas.', 'Cria gráficos. \n'],
    ['Russian', 'Строит графики. Не используйте для карт.', 'Строит графики. \n'],
    ['Spanish', 'Crea gráficos. No usar para mapas.', 'Crea gráficos. \n'],
  ])('[BY-2] removes: %s', (_, text, kept) => {
    expect(removeNegatedClauses(text).replace(/\s+/g, ' ')).toBe(kept.replace(/\s+/g, ' '))
  })

  it.each([
    '',
    'Use for notes on knots',
    'Not only charts but also maps',
    'not only for charts but also for maps',
    'Works in a notebook. Use when noting things.',
    'A nonprofit ledger, not-for-profit reports',
    'Helps decide whether or not to use a cache.',
    'Tells you what not to use in a salad and how not to load a van.',
    'Use it even if the user does not use the word chart.',
    "When users don't call it by name, use it too",
    'Reads v1.2.3 files. Do what is needed.',
    'Annotates canNot.use(x) calls',
    '非常适合新手。不仅适用于图表，也适用于地图。',
    '帮助判断能不能使用缓存、要不要触发构建。',
    '不得不使用的工具',
    '不错的图表',
    'Zeigt, was nicht für alle gilt.',
    'Prüft, ob nicht verwendete Pakete da sind.',
    'Dit quand ne pas réessayer.',
    'Говорит, что не работает.',
    '🎉!? ... ;;; \n\n',
  ])('[BY-2] keeps: %j', text => {
    expect(removeNegatedClauses(text)).toBe(text)
  })

  it('keeps what is ruled out as a text of its own', () => {
    const text = 'Makes charts. Not for maps. Use geo for that. Exports PNG. 不要用于地图。'
    expect(divideDescription(text).ruledOut).toBe(
      'Not for maps.\nUse geo for that.\n不要用于地图。',
    )
    expect(divideDescription('Makes charts.').ruledOut).toBe('')
    expect(divideDescription('グラフを作り、地図には使用しない。').ruledOut).toBe(
      '地図には使用しない。',
    )
  })

  it.each([
    ...[' ', 'a.', '.', 'not ', 'do not ', 'do ', "don't ", 'not to be used ', 'use a ', 'avoid '],
    ...['不', '不要', '\n', 'x'],
  ])('[BY-9] 500,000 characters of %j take linear time', unit => {
    const text = unit.repeat(500_000 / unit.length)
    expect(removeNegatedClauses(text).length).toBeLessThanOrEqual(text.length)
    expect(removeNegatedClauses(`not for ${text}!`).length).toBeLessThanOrEqual(text.length + 10)
  })
})
