import { barChart } from '../report/chart.js'
import { writeFigure, writeSection } from '../report/docs.js'
import { type AuthorRun, authorSection } from './authors.js'
import type { PoolSkill } from './data.js'
import type { Run } from './run.js'
import { answerTable, comparisonTable, failureTable, noSkillTable, recallTable } from './tables.js'

/** Writes the section of every matcher. The first run is ours. */
export function writeRanking(runs: readonly Run[], pools: readonly PoolSkill[]): void {
  const [ours] = runs as [Run]
  const others = runs.filter(({ matcher }) => ['minisearch', 'orama'].includes(matcher))
  const alarms = noSkillTable(runs)
  writeSection(
    'rank',
    [
      recallTable(runs, { digits: 3, withTimes: true }),
      '![R@1 of each matcher, in English and Chinese](rank.svg)',
      comparisonTable(ours, others),
      answerTable(runs),
      ...(alarms
        ? [
            `Share of messages that match although no skill serves them, in these libraries/in the sample skills, which serve some of them in part:\n\n${alarms}`,
          ]
        : []),
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

/** Writes the section of authors' trigger tests. */
export function writeAuthors(runs: readonly AuthorRun[]): void {
  writeSection('authors', authorSection(runs))
}

/** Writes the section of users' own words: matchers over whole skills, then those that index the messages of skills. */
export function writeOwnWords(plain: readonly Run[], informed: readonly Run[]): void {
  const languages = Object.keys((plain[0] as Run).languages)
  writeSection(
    'own-words',
    [
      recallTable(plain, { digits: 2 }),
      'The same, if skills have messages (`test/ranking/messages.tsv`, 30 in nine languages for each skill):',
      recallTable(informed, { digits: 2 }),
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
