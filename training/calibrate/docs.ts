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
  situation: 'by situation, libraries of 2 to 1,000 skills',
  'near miss': 'near miss',
  'own words': "in users' own words",
}

/** @param kind Kind and language, such as `good, en`. */
function nameOf(kind: string): string {
  const [name = '', language] = kind.split(', ')
  return `${KINDS[name] ?? name}, ${language}`
}

/** Writes the section and the plot of one calibration. */
export function writeReliability(
  name: string,
  { auc, brier }: { auc: number; brier: number },
  bins: readonly { predicted: number; observed: number; weight: number }[],
  kinds: readonly { kind: string; count: number; above: number }[],
): void {
  const title = TITLES[name] ?? name
  writeSection(
    `calibrate-${name}`,
    [
      `On held-out origins: AUC ${auc.toFixed(3)}, Brier skill over the base rate ${brier.toFixed(3)}.`,
      markdownTable(
        ['messages', 'number', 'above 0.7, %'],
        kinds.map(({ kind, count, above }) => [
          nameOf(kind),
          String(count),
          (above * 100).toFixed(1),
        ]),
      ),
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
