import { curveChart } from '../../bench/report/chart.js'
import { writeFigure, writeSection } from '../../bench/report/docs.js'
import { markdownTable } from '../../bench/report/table.js'

const TITLES: Readonly<Record<string, string>> = {
  words: 'words alone',
  meaning: 'words and the bundled model',
  embedding: 'the bundled model alone',
  minilm: 'words and all-MiniLM-L6-v2',
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
        kinds.map(({ kind, count, above }) => [kind, String(count), (above * 100).toFixed(1)]),
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
      series: [{ name: title, points: bins.map(({ predicted, observed }) => [predicted, observed] as const) }],
    }),
  )
}
