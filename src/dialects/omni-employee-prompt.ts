import { markdownLine, plainLine } from '../core/sanitize.js'
import type { OpenSkill } from '../session/types.js'
import { runWith } from './runner.js'

/** Files beside a SKILL.md that are there to be read. */
const DOCUMENT = /^[^/]+\.(?:md|markdown|mdx|txt)$/i

/** A loaded skill: where it is, what stands beside it, its instructions. */
export function openedSection({ skill }: OpenSkill): string {
  const { name, description, root, files, instructions } = skill
  const scripts = files.filter(({ path }) => path.startsWith('scripts/'))
  const references = files.filter(
    ({ path, kind }) => DOCUMENT.test(path) || (path.startsWith('references/') && kind === 'text'),
  )
  return [
    `### Skill: ${plainLine(name)}`,
    `# Skill: ${plainLine(name)}`,
    '',
    markdownLine(description),
    '',
    '## Skill Context',
    `- **Skill Directory**: ${code(root)}`,
    ...(scripts.length === 0 ? [] : ['- **Available Scripts**:']),
    ...scripts.map(({ path }) => {
      const place = `${root}/${path}`
      const run = runWith(place)
      return `  - ${code(place)}${run === undefined ? '' : ` (run with: ${code(run)})`}`
    }),
    ...(references.length === 0 ? [] : ['- **Available References**:']),
    ...references.map(({ path }) => `  - ${code(path)}`),
    '',
    '## Instructions',
    instructions,
  ].join('\n')
}

/** The references of all that is open, in a section of their own. */
export function referencesSection(open: readonly OpenSkill[]): string[] {
  const references = open.flatMap(({ skill, references: own }) =>
    own.map(({ path, text }) => `### ${plainLine(skill.name)} - ${plainLine(path)}\n${text.trim()}`),
  )
  return references.length === 0 ? [] : ['## Loaded Skill References', ...references]
}

/** A path as code: graves in it end nothing, as there are more around it. */
function code(text: string): string {
  const line = plainLine(text)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return longest === 0 ? `${mark}${line}${mark}` : `${mark} ${line} ${mark}`
}
