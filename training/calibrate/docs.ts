import { curveChart } from '../../bench/report/chart.js'
import { writeFigure, writeSection } from '../../bench/report/docs.js'
import { markdownTable } from '../../bench/report/table.js'

const TITLES: Readonly<Record<string, string>> = {
  words: 'keywords only',
  meaning: 'keywords and the bundled model',
  embedding: 'the bundled model only',
}

/** Row labels by kind of message. */
const KINDS: Readonly<Record<string, string>> = {
  good: 'written for a skill of the library',
  generic_negative: 'generic, no skill should match',
  explicit: 'asks for the skill by name',
  'no skill': 'no skill fits',
  'no sample': 'no skill fits, samples',
  situation: 'by situation',
  'near miss': 'near miss',
  'own words': "in users' own words",
}

/** Languages of a column. */
const COLUMNS = [['en'], ['zh'], ['ja', 'ko'], ['es', 'de', 'fr', 'pt', 'ru']]

/** Messages of one kind in one language, and their share above the threshold. */
export interface KindRow {
  kind: string
  language: string
  count: number
  above: number
}

/** A row of each kind, with the percentage above the threshold by language. */
function kindTable(rows: readonly KindRow[]): string {
  const cell = (kind: string, languages: readonly string[]): string => {
    const some = rows.filter(row => row.kind === kind && languages.includes(row.language))
    const count = some.reduce((sum, row) => sum + row.count, 0)
    const above = some.reduce((sum, row) => sum + row.count * row.above, 0)
    return count === 0 ? '' : ((above / count) * 100).toFixed(1)
  }
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort()
  return markdownTable(
    ['score above 0.7, %', ...COLUMNS.map(languages => languages.join(', '))],
    kinds.map(kind => [KINDS[kind] ?? kind, ...COLUMNS.map(languages => cell(kind, languages))]),
  )
}

/** Writes the section and the plot of one calibration. */
export function writeReliability(
  name: string,
  { auc, brier }: { auc: number; brier: number },
  bins: readonly { predicted: number; observed: number; weight: number }[],
  kinds: readonly KindRow[],
): void {
  const title = TITLES[name] ?? name
  writeSection(
    `calibrate-${name}`,
    [
      `On held-out origins: AUC ${auc.toFixed(3)}, Brier skill over the base rate ${brier.toFixed(3)}.`,
      kindTable(kinds),
      `![Predicted probability against observed share, for ${title}](calibrate-${name}.svg)`,
    ].join('\n\n'),
  )
  writeFigure(
    `calibrate-${name}.svg`,
    curveChart({
      title: `Reliability: ${title}`,
      x: 'predicted probability',
      y: 'observed share served',
      series: [
        {
          name: 'observed',
          points: bins.map(({ predicted, observed }) => [predicted, observed] as const),
        },
      ],
    }),
  )
}
