/** The tables of docs/hosts.md: `tsx scripts/host-tables.ts` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Host, SkillRoot } from '../src/tools/hook/hosts/host.js'
import { HOSTS } from '../src/tools/hook/hosts/hosts.js'

const START = '<!-- hosts -->'
const END = '<!-- /hosts -->'
const HOME = '/home'
const USER = { home: HOME, env: {} }
const PLACE = { ...USER, cwd: '/p', folders: ['/p'] }

/** The tables, with the marks around them. */
export function hostTables(): string {
  const rows = Object.entries(HOSTS)
  return [
    START,
    '| Host | Name | Event | Settings | Contract |',
    '|---|---|---|---|---|',
    ...rows.map(
      ([name, host]) =>
        `| ${host.title} | \`${name}\` | \`${host.keys.at(-1)}\` | \`${shortened(host.settings(USER))}\` | [hooks](${host.contract}) |`,
    ),
    '',
    '| Host | Skills in the project | Skills of the user | Looked up |',
    '|---|---|---|---|',
    ...rows.map(
      ([, host]) =>
        `| ${host.title} | ${paths(host, 'project')} | ${paths(host, 'user')} | ${host.lookedUp}: ${links(host)} |`,
    ),
    END,
  ].join('\n')
}

function paths(host: Host, owner: SkillRoot['owner']): string {
  return host
    .roots(PLACE)
    .filter(root => root.owner === owner)
    .map(({ path }) => `\`${owner === 'project' ? relative('/p', path) : shortened(path)}\``)
    .join(', ')
}

function links({ sources }: Host): string {
  return sources.map((source, index) => `[${index + 1}](${source})`).join(' ')
}

function shortened(path: string): string {
  return path.replace(HOME, '~')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../docs/hosts.md', import.meta.url)
  const docs = readFileSync(file, 'utf8')
  const [before = '', rest = ''] = docs.split(START)
  writeFileSync(file, before + hostTables() + (rest.split(END)[1] ?? ''))
}
