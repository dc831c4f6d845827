import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cli } from './cli-world.js'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
/** The text of each section by its command. */
const sections = new Map(
  page
    .split(/^## /m)
    .flatMap((text, index) => (index === 0 ? [] : [[text.slice(0, text.indexOf('\n')), text] as const])),
)

it('[CARD-5] docs/cli.md has a section for every command, with every option', async () => {
  const { out } = await cli(['--help'])
  const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(out) ?? []
  const commands = [...list.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name).filter(name => name !== 'help')
  expect(commands.length).toBeGreaterThan(5)
  expect([...sections.keys()].sort()).toEqual(commands.sort())
  const inTable = [...page.matchAll(/^\| \[`(\w+)`\]\(#\1\) \|/gm)].map(([, name = '']) => name)
  expect(inTable.sort()).toEqual(commands)
  for (const command of commands) {
    const help = (await cli([command, '--help'])).out
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option)
    const expected = options.filter(option => !['--debug', '--help'].includes(option)).sort()
    const listed = [...(sections.get(command) ?? '').matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm)].map(
      ([, option]) => option,
    )
    expect({ command, options: listed.sort() }).toEqual({ command, options: expected })
  }
})
