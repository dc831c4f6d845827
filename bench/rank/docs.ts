import { barChart } from '../report/chart.js'
import { writeFigure, writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import type { PoolSkill } from './data.js'
import type { Run } from './run.js'
import { comparison, failureTable, noSkillTable, rankingTable } from './tables.js'

/** Writes the section of every matcher. The first run is ours. */
export function writeRanking(runs: readonly Run[], pools: readonly PoolSkill[]): void {
  const [ours] = runs as [Run]
  const others = runs.filter(({ matcher }) => ['minisearch', 'orama'].includes(matcher))
  const alarms = noSkillTable(runs)
  writeSection(
    'rank',
    [
      rankingTable(runs),
      '![R@1 of each matcher, in English and Chinese](rank.svg)',
      ...(alarms
        ? [
            `Share of messages that match although no skill serves them, over these libraries and over the sample skills, which serve some of them in part:\n\n${alarms}`,
          ]
        : []),
      ...others.map(other => comparison(ours, other)),
      `Wrong first matches in all languages, by cause:\n\n${failureTable(ours, pools)}`,
    ].join('\n\n'),
  )
  writeFigure(
    'rank.svg',
    barChart({
      title: 'Right skill ranked first',
      axis: 'R@1, messages written by skill authors',
      categories: runs.map(({ what }) => what),
      series: [
        { name: 'English', values: runs.map(one => rounded(one.languages['en']?.r1)) },
        { name: 'Chinese', values: runs.map(one => rounded(one.languages['zh']?.r1)) },
      ],
    }),
  )
}

/** Writes the section of users' own words: matchers over whole skills, then those that index the messages of skills. */
export function writeOwnWords(plain: readonly Run[], informed: readonly Run[]): void {
  const languages = Object.keys((plain[0] as Run).languages)
  const tableOf = (some: readonly Run[]): string =>
    markdownTable(
      ['matcher', ...languages],
      some.map(({ what, languages: figures }) => [
        what,
        ...languages.map(
          language => `${figures[language]?.r1.toFixed(2)}/${figures[language]?.r5.toFixed(2)}`,
        ),
      ]),
    )
  writeSection(
    'own-words',
    [
      `R@1/R@5 of ${plain[0]?.languages['en']?.n} messages in each language:`,
      tableOf(plain),
      'The same, if skills have messages (`test/ranking/messages.tsv`, 30 in nine languages for each skill):',
      tableOf(informed),
      '![R@1 with and without messages of skills, in nine languages](own-words.svg)',
    ].join('\n\n'),
  )
  const values1 = (one: Run | undefined): (number | null)[] =>
    languages.map(language => rounded(one?.languages[language]?.r1))
  writeFigure(
    'own-words.svg',
    barChart({
      title: 'Right skill ranked first',
      axis: "R@1, messages in users' own words",
      categories: languages,
      series: [
        { name: 'with messages', values: values1(informed[0]) },
        { name: 'without', values: values1(plain[0]) },
      ],
    }),
  )
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1000) / 1000
}
