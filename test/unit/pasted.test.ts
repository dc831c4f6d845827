import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'

const TRACE = `Traceback (most recent call last):
  File "/srv/app/invoice.py", line 14, in check_total
    invoice.check(total, rows)
TypeError: invoice total is missing`
const CODE = '```\ncheck(invoice.rows, invoice.total)\n```'
const FILES = {
  'invoice-check/SKILL.md':
    '---\nname: invoice-check\ndescription: Checks invoices, their rows and totals.\n---\n',
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n',
}

it.each([TRACE, CODE, '/home/ada/check/invoice/total-rows.pdf'])(
  '[BY-23] pasted text alone is something to work on: %s',
  async pasted => {
    await using library = await openLibrary(memory(FILES), { embedder: false })
    const { status, maybe, served } = await library.match(pasted)
    expect(served).toBeGreaterThan(0.7)
    expect(status).toBe('maybe')
    expect(maybe[0]?.name).toBe('invoice-check')
    const { score, matched } = await library.explain(pasted, 'invoice-check')
    expect([score, matched]).toEqual([maybe[0]?.score, false])
    const asked = `check the rows and the total of the invoice\n${pasted}`
    expect((await library.match(asked)).status).toBe('match')
  },
)

it('[BY-23] pasted text says nothing for a wish: one common word fires nothing', async () => {
  await using library = await openLibrary(memory(FILES))
  const { status, matches } = await library.match(`check\n${TRACE}`)
  expect([status, matches]).not.toContain('match')
  expect(matches).toEqual([])
})

it('[BY-29] the first words of pasted text are read', async () => {
  await using library = await openLibrary(memory(FILES), { embedder: false })
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ')
  const find = (pasted: string) => library.search({ message: 'hot water', pasted })
  expect((await find(`brews ${words}`)).matches.map(({ name }) => name)).toEqual(['tea'])
  expect((await find(`${words} brews`)).matches).toEqual([])
  const found = await library.search({ message: 'hot water\n> as said', pasted: 'brews' })
  expect(found.matches).toHaveLength(1)
})

it('[BY-23] a skill acts on pasted text that it has as a message', async () => {
  const files = { ...FILES, 'invoice-check/messages.txt': 'src/invoice/check.ts\n' }
  await using library = await openLibrary(memory(files), { embedder: false })
  expect((await library.match('src/invoice/check.ts')).status).toBe('match')
})
