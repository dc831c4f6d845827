import { expect, it } from 'vitest'
import { askedIn, withoutQuotes } from '../../src/core/text/message-quotes.js'
import { memory, openLibrary } from '../../src/exports/index.js'

const FILES = {
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews green tea for guests. 给客人泡绿茶。\n---\n',
  'style/SKILL.md':
    '---\nname: style\ndescription: Rewrites paragraphs and sentences in plain words.\n---\n',
  'invoice/SKILL.md':
    '---\nname: invoice\ndescription: Checks an invoice before it is paid. 付款前核对发票。\n---\n',
}
const WANTED = 'please brew green tea for my guests'

it.each([
  `Translate into German: "${WANTED}"`,
  `how long is “${WANTED}”`,
  `Übersetze „${WANTED}“`,
  `traduis « ${WANTED} » en allemand`,
  `is '${WANTED}' polite`,
  'これを英訳して「客人のためにお茶をいれてください」',
  '把“请给客人泡一壶绿茶”翻译成英文',
])('[BY-23] a sentence in quotation marks is something to work on: %s', async message => {
  await using library = await openLibrary(memory(FILES))
  expect((await library.match(message)).matches).toEqual([])
})

it('[BY-23] what is asked beside a quote decides, and the quote orders', async () => {
  await using library = await openLibrary(memory(FILES))
  const first = async (message: string) => (await library.search(message)).matches[0]?.name
  const asked = `Rewrite this paragraph in plain words: "${WANTED}"`
  expect(await first(asked)).toBe('style')
  expect(askedIn(asked)).toBe('Rewrite this paragraph in plain words: ""')
  expect((await library.match(asked)).status).toBe('match')
  expect(await first(`word of the day: "${WANTED}"`)).toBe('tea')
})

it('[BY-23] names and whole messages in quotation marks are asked for', async () => {
  const whole = [
    `"${WANTED}"`,
    `“${WANTED}”`,
    'brew "green tea" for my guests',
    "it's my guests' tea",
  ]
  for (const message of whole) {
    expect(withoutQuotes(message)).toEqual({ message, quotes: [] })
  }
  await using library = await openLibrary(memory(FILES))
  expect((await library.match(`"${WANTED}"`)).matches[0]?.name).toBe('tea')
})

it('[BY-31] a message of an author with a quote fires, if the quote is the same', async () => {
  const files = { ...FILES, 'tea/messages.txt': `the user says "${WANTED}"\n` }
  await using library = await openLibrary(memory(files))
  expect((await library.match(`The user says “${WANTED}”`)).matches[0]?.name).toBe('tea')
  expect((await library.match('the user says "check the invoice before paying"')).matches).toEqual(
    [],
  )
})
