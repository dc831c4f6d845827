import { expect, it } from 'vitest'
import { describePage, eventually, textOf } from './page-world.js'

const ADDRESS = 'https://models.example/v1'

interface Asked {
  authorization: string | undefined
  model: string
  stream?: boolean
  messages: { role: string; content: string | null }[]
  tools: { function: { name: string } }[]
}

type Reply =
  | { stream: readonly object[] }
  | { failure: string }
  | { content: string }
  | { call: [name: string, input: object] }
  | { status: number }
  | 'wait'

const toolCall = (number: number, name: string, input: object) => ({
  id: `call-${number}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

describePage('the chat of the demo page', {}, world => {
  const button = (name: string) => world.page.getByRole('button', { name, exact: true })
  const turns = () => world.page.locator('.turn')
  const panel = () => world.page.locator('skill-activity')

  /** A stand-in for an OpenAI-compatible server: it speaks the protocol, and `replies` are its answers. */
  async function modelStandIn(replies: readonly Reply[]): Promise<Asked[]> {
    const asked: Asked[] = []
    world.allow(/^request: https:\/\/models\.example\//)
    world.allow(/^Failed to load resource: the server responded with a status of 401/)
    await world.page.route(`${ADDRESS}/chat/completions`, async route => {
      const request = route.request()
      const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers: cors })
      const reply = replies[asked.length]
      asked.push({
        authorization: request.headers()['authorization'],
        ...(request.postDataJSON() as Omit<Asked, 'authorization'>),
      })
      if (reply === 'wait' || reply === undefined) return
      const events = (data: readonly object[]): string =>
        data.map(one => `data: ${JSON.stringify(one)}\n\n`).join('')
      const contentType = 'text/event-stream'
      if ('failure' in reply)
        return route.fulfill({
          headers: cors,
          contentType,
          body: events([{ error: { message: reply.failure } }]),
        })
      if ('stream' in reply) {
        const body = events(reply.stream.map(choice => ({ choices: [choice] })))
        return route.fulfill({ headers: cors, contentType, body: `${body}data: [DONE]\n\n` })
      }
      if ('status' in reply)
        return route.fulfill({ status: reply.status, headers: cors, body: '{}' })
      const message =
        'content' in reply
          ? { role: 'assistant', content: reply.content }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [toolCall(asked.length, ...reply.call)],
            }
      return route.fulfill({ status: 200, headers: cors, json: { choices: [{ message }] } })
    })
    return asked
  }
  async function useAddress(key = 'secret-key'): Promise<void> {
    await world.page.getByLabel('Model', { exact: true }).selectOption('address')
    await world.page.getByLabel('Base URL').fill(ADDRESS)
    await world.page.getByLabel('Model name').fill('some-model')
    await world.page.getByLabel('API key').fill(key)
  }
  async function send(message: string): Promise<void> {
    await world.page.getByRole('textbox', { name: 'Message' }).fill(message)
    await button('Send').click()
  }

  it('[BY-19] without a model a tour opens and reads what a message matches, with prepared sentences, and says so', async () => {
    await world.visit('samples', { hash: '#/chat' })
    await world.page.getByText('only the sentences of the answers are prepared').waitFor()
    await button('Extract the tables from report.pdf into CSV files').click()
    await turns().first().getByText('This sentence is prepared').waitFor()
    await turns().first().getByRole('link', { name: 'pdf' }).waitFor()
    const script = turns().first().locator('.script')
    await script.getByText('scripts/extract_tables.py').click()
    await script.getByText('skillshelf never runs scripts').waitFor()
    await script.getByText('def ').first().waitFor()
    await send('my pods keep restarting')
    await turns().nth(1).getByRole('link', { name: 'kubernetes-debug' }).waitFor()
    await send('write a letter')
    await turns().nth(2).getByText('Which do you mean?').waitFor()
    await send('tell me a joke')
    await turns().nth(3).getByText('No skill of this library fits').waitFor()

    // The panel shows the total of the ledger.
    await eventually(() =>
      world.page.evaluate(`(({ session, shadowRoot }) =>
        shadowRoot.querySelector('[data-part=total] td').textContent === session.ledger().total.toLocaleString('en-US')
      )(document.querySelector('skill-activity'))`),
    ).toBe(true)
    const { inlined, activities } = (await world.page.evaluate(`(() => {
        const { session, activities } = document.querySelector('skill-activity')
        return {
          inlined: session.library.snapshot.skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0),
          activities: activities.filter(({ type }) => type === 'load' || type === 'read').map(({ type, skill }) => type + ' ' + skill),
        }
      })()`)) as { inlined: number; activities: string[] }
    expect(activities.slice(0, 3)).toEqual([
      'load skills/pdf',
      'read skills/pdf',
      'load skills/kubernetes-debug',
    ])
    // Every turn sends them again.
    await eventually(async () => {
      const costs = await textOf(world.page.locator('.turn-costs'))
      const [, stated = ''] = /Everything inlined\s*\$[\d.]+ ([\d,]+) tokens in/.exec(costs) ?? []
      return Number(stated.replaceAll(',', ''))
    }).toBeGreaterThan(4 * inlined)

    await button('Start again').click()
    await eventually(() => turns().count()).toBe(0)
  })

  it('[BY-19] a message can be edited and answered again, and the cost is that of the prices that the user sets', async () => {
    await world.visit('few', { hash: '#/chat' })
    const asked = await modelStandIn(
      ['One.', 'Two.', 'Three.', 'Four.'].map(content => ({ content })),
    )
    await useAddress()
    await send('first question')
    await turns().first().getByText('One.').waitFor()
    await send('second question')
    await turns().nth(1).getByText('Two.').waitFor()
    await turns().nth(1).getByRole('button', { name: 'Answer again' }).click()
    await turns().nth(1).getByText('Three.').waitFor()
    const users = (index: number) => asked[index]?.messages.filter(({ role }) => role === 'user')
    expect(users(2)?.map(({ content }) => content?.split('\n')[0])).toEqual([
      'first question',
      'second question',
    ])
    await turns().first().getByRole('button', { name: 'Edit' }).click()
    await eventually(() => turns().count()).toBe(0)
    await eventually(() => world.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(
      'first question',
    )
    await send('another question')
    await turns().first().getByText('Four.').waitFor()
    expect(users(3)).toHaveLength(1)

    await world.page.getByLabel('in', { exact: true }).fill('1000000')
    await world.page.getByLabel('out', { exact: true }).fill('0')
    // A million dollars for a million tokens.
    await eventually(async () => {
      const costs = await textOf(world.page.locator('.turn-costs'))
      const [, dollars, tokens] =
        /With skillshelf\s*\$(\d+)\.00 ([\d,]+) tokens in/.exec(costs) ?? []
      return dollars !== undefined && dollars === tokens?.replaceAll(',', '')
    }).toBe(true)
  })

  it('[BY-19] the chat asks an OpenAI-compatible address, runs its tool calls, and keeps the conversation in other views', async () => {
    await world.visit('samples', { hash: '#/chat' })
    const asked = await modelStandIn([
      { call: ['load_skill', { skill: 'book-flight' }] },
      { content: 'Which **day**? <img src=x onerror=alert(1)>' },
      { content: 'Noted.' },
    ])
    await useAddress()
    await send('book a flight to Tokyo')
    await turns().first().getByText('Which day?').waitFor()
    await turns().first().getByRole('link', { name: 'book-flight' }).waitFor()
    const sent = ['Bearer secret-key', 'some-model']
    expect(asked.map(({ authorization, model }) => [authorization, model])).toEqual([sent, sent])
    expect(asked[0]?.tools.map(({ function: { name } }) => name)).toContain('load_skill')
    // The prompt has the few skills that fit the message, and no catalog.
    expect(asked[0]?.messages[0]?.content).not.toContain('book-flight')
    expect(asked[0]?.messages.at(-1)?.content).toMatch(/<matching_skills>[\s\S]*book-flight/)
    expect(JSON.stringify(asked[0]?.messages).length).toBeLessThan(2_500)
    const opened = { role: 'tool', content: expect.stringContaining('<skill_content') }
    expect(asked[1]?.messages.at(-1)).toMatchObject(opened)
    await eventually(() => turns().locator('img').count()).toBe(0)

    await world.page.getByRole('link', { name: 'Tokens', exact: true }).click()
    await world.page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
    await world.page.goBack()
    await turns().first().getByText('Which day?').waitFor()
    await panel().getByText('Opened book-flight').waitFor()
    await send('on Monday')
    await turns().nth(1).getByText('Noted.').waitFor()
    expect(asked[2]?.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  it('[BY-19] the chat reads an answer and tool calls that arrive in parts, and says what a stream failed with', async () => {
    await world.visit('few', { hash: '#/chat' })
    const call = (part: object): object => ({ delta: { tool_calls: [{ index: 0, ...part }] } })
    const asked = await modelStandIn([
      {
        stream: [
          call({ id: 'call-7', function: { name: 'load_skill', arguments: '{"skill":' } }),
          call({ function: { arguments: '"book-flight"}' } }),
        ],
      },
      { stream: [{ delta: { content: 'Which **d' } }, { delta: { content: 'ay**?' } }] },
      { failure: 'The model is overloaded' },
      { content: 'Here.' },
    ])
    await useAddress()
    await send('book a flight to Tokyo')
    await turns().first().locator('strong').getByText('day').waitFor()
    await turns().first().getByRole('link', { name: 'book-flight' }).waitFor()
    expect(asked[0]?.stream).toBe(true)
    expect(asked[1]?.messages.at(-2)).toMatchObject({ tool_calls: [{ id: 'call-7' }] })
    await eventually(() => world.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(
      '',
    )
    await send('on Monday')
    await turns().nth(1).getByText('The model is overloaded').waitFor()
    await turns().nth(1).getByRole('button', { name: 'Answer again' }).click()
    await turns().nth(1).getByText('Here.').waitFor()
    await eventually(() => turns().count()).toBe(2)
  })

  it('[BY-19] the key of a model stays in the tab, and not in the address of the page', async () => {
    await world.visit('few', { hash: '#/chat' })
    const asked = await modelStandIn([{ content: 'Hello.' }])
    await useAddress('secret-key-2')
    await send('hello')
    await turns().first().getByText('Hello.').waitFor()
    expect(asked).toHaveLength(1)
    expect(world.page.url()).not.toContain('secret-key-2')
    const stored = await world.page.evaluate(
      'JSON.stringify([{ ...localStorage }, document.cookie])',
    )
    expect(stored).not.toContain('secret-key-2')
    await world.page.reload()
    await world.page.getByLabel('Model', { exact: true }).selectOption('address')
    await eventually(() => world.page.getByLabel('API key').inputValue()).toBe('secret-key-2')
  })

  it('[BY-19] the chat says why a model did not answer, and stops', async () => {
    await world.visit('few', { hash: '#/chat' })
    const asked = await modelStandIn([{ status: 401 }, 'wait', { content: 'Here.' }])
    await useAddress()
    await send('make slides')
    await turns().first().getByText('The address refused the key.').waitFor()
    await send('make slides')
    await eventually(() => asked.length).toBe(2)
    await button('Stop').click()
    await turns().nth(1).getByText('Stopped.').waitFor()
    await send('make slides')
    await turns().nth(2).getByText('Here.').waitFor()
    // Messages without an answer are not sent again.
    expect(asked[2]?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  it.each([
    ['en-US', ['light', 'dark']],
    ['zh-CN', []],
  ] as const)(
    '[BY-19] axe finds no violation in the chat, at 320 pixels too: %s',
    async (locale, schemes) => {
      await world.visit('samples', { hash: '#/chat', locale, bypassCSP: true, width: 320 })
      await world.page.locator('.chat-form .chip').first().click()
      await turns().first().locator('.script').waitFor()
      await world.page.locator('.turn-costs dl').waitFor()
      await eventually(() => world.page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      expect(await world.axeViolations('chat', schemes)).toEqual([])
    },
  )
})
