import type { PageContext } from '../context.js'
import { type Row, valueText } from './compare-board.js'

const NEW_ISSUE = 'https://github.com/skillshelf/skillshelf/issues/new'
/** Characters of the report. Longer addresses are refused. */
const MAX_FOUND = 4_000

/** The address of a new issue about a message that finds the wrong skill, with all that is needed to repeat it. The user sends it. */
export function missUrl(
  { library, location, answeredMessage }: PageContext,
  right: string,
  rows: readonly Row[],
): string {
  const skill = library.snapshot.skills.find(({ id }) => id === right)
  const found = [
    `Page: ${window.location.href}`,
    `Library: ${location.kind}, ${library.snapshot.skills.length} skills, revision ${library.snapshot.revision}`,
    `Languages: ${navigator.languages.join(', ')}`,
    `Browser: ${navigator.userAgent}`,
    '',
    ...rows.map(
      ({ name, rank, ranked, milliseconds, tokens }) =>
        `${name}: rank ${rank ?? '-'}, ${valueText('milliseconds', milliseconds)}, ${tokens} tokens. ${(ranked ?? []).slice(0, 5).join(', ')}`,
    ),
  ].join('\n')
  const fields = new URLSearchParams({
    template: 'match.yml',
    title: `Wrong match: ${answeredMessage()}`,
    message: answeredMessage(),
    expected: skill ? `${skill.name}: ${skill.description}` : right,
    found: found.slice(0, MAX_FOUND),
  })
  return `${NEW_ISSUE}?${fields}`
}
