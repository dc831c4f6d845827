import { markdownLine, plainLine } from '../../core/sanitize.js'
import type { OpenSkill } from '../session/open-skills.js'

const DOCUMENT = /^[^/]+\.(?:md|markdown|mdx|txt)$/i
/** Commands that run a script, by file extension. Only printed in prompts: scripts are never run. */
const RUNNERS: Readonly<Record<string, string>> = {
  py: 'uv run',
  sh: 'bash',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'npx tsx',
  mts: 'npx tsx',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
  lua: 'lua',
  r: 'Rscript',
  jl: 'julia',
  go: 'go run',
  ps1: 'pwsh -File',
}

/** Formats an open skill: directory, scripts, available references and instructions. */
export function skillSection({ skill }: OpenSkill): string {
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
    `- **Skill Directory**: ${inlineCode(root)}`,
    ...(scripts.length === 0 ? [] : ['- **Available Scripts**:']),
    ...scripts.map(({ path }) => {
      const script = `${root}/${path}`
      const command = runCommand(script)
      return `  - ${inlineCode(script)}${command === undefined ? '' : ` (run with: ${inlineCode(command)})`}`
    }),
    ...(references.length === 0 ? [] : ['- **Available References**:']),
    ...references.map(({ path }) => `  - ${inlineCode(path)}`),
    '',
    '## Instructions',
    instructions,
  ].join('\n')
}

/** Formats the loaded references of all open skills. An empty list if there are none. */
export function referencesSection(open: readonly OpenSkill[]): string[] {
  const sections = open.flatMap(({ skill, references }) =>
    references.map(({ path, text }) => `### ${plainLine(skill.name)} - ${plainLine(path)}\n${text.trim()}`),
  )
  return sections.length === 0 ? [] : ['## Loaded Skill References', ...sections]
}

/** Returns the shell command for a script, or `undefined` for an unknown file extension. */
function runCommand(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(RUNNERS, extension) ? `${RUNNERS[extension]} ${shellQuote(path)}` : undefined
}

function shellQuote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** Formats inline code. More backticks than the text contains in a row delimit it. */
function inlineCode(text: string): string {
  const line = plainLine(text)
  const longest = [...line.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0)
  const delimiter = '`'.repeat(longest + 1)
  return longest === 0 ? `${delimiter}${line}${delimiter}` : `${delimiter} ${line} ${delimiter}`
}
