import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { executablePath } from '../launch.js'
import { cli } from './cli-world.js'
import {
  checkExample,
  contents,
  exampleFolder,
  LOAD,
  READ,
  root,
  runExample,
  SOURCES,
} from './example-world.js'
import { startBrowser } from './pages.js'
import { scriptedModel, scriptedService } from './scripted-service.js'
import { serveStatic, visit } from './vite-world.js'

/** Runs the agents of `examples` against `src` with a scripted model. */

const folder = exampleFolder()

describe('node-agent', () => {
  const converse = (address: string, lines: readonly string[]) =>
    runExample(folder, 'node-agent/main.js', { OPENAI_BASE_URL: address, MODEL: 'scripted' }, lines)

  it('[CARD-5] opens a matching skill, reads its file and answers', async () => {
    await using service = await scriptedService([
      LOAD,
      READ,
      'The tax is wrong.',
      'You are welcome.',
    ])
    const { out, err } = await converse(service.address, [
      'check this invoice before I pay it',
      'thanks',
    ])
    expect(out).toBe('The tax is wrong.\nYou are welcome.\n')
    // The bundle of this test has no model beside it.
    expect(err).toMatch(
      /^3 skills\. How can I help\?\n(?:skillshelf: The bundled model is unavailable[^\n]*\n)?(?: {2}load_skill {"skill":"invoice-check"}\n)/,
    )
    expect(err).toMatch(/\n {2}0\.\d % of the context; open skills: invoice-check\n$/)
    const [first, second, third, fourth] = service.requests
    expect(first).toMatchObject({ authorization: 'Bearer a-key', model: 'scripted' })
    expect(first?.tools?.map(tool => tool.function.name)).toContain('load_skill')
    expect(contents(first, 'system')[0]).toContain('<name>sourdough</name>')
    const message = /^check this invoice[^\n]*\n\n<matching_skills>\n<skill>\n<name>invoice-check/
    expect(contents(first, 'user')[0]).toMatch(message)
    expect(contents(second, 'tool')[0]).toContain('Compare the supplier and the account number')
    expect(contents(third, 'tool')[1]).toContain('path="references/rates.csv"')
    expect(contents(fourth, 'assistant')).toEqual(['""', '""', 'The tax is wrong.'])
    // The system prompt is the same in each turn.
    expect(new Set(service.requests.map(request => contents(request, 'system')[0])).size).toBe(1)
  })

  it('[BY-8] repeats lost instructions', async () => {
    const chat = Array.from({ length: 20 }, (_, at) => `Yes, ${at}.`)
    await using service = await scriptedService([LOAD, 'The tax is wrong.', ...chat, 'Bye.'])
    const lines = ['check this invoice before I pay it', ...chat.map(() => 'and now?'), 'bye']
    const { out } = await converse(service.address, lines)
    expect(out.split('\n').at(-2)).toBe('Bye.')
    const [before, last] = service.requests.slice(-2)
    expect(contents(before, 'tool')[0]).toContain('Compare the supplier')
    expect(contents(before, 'user').join()).not.toContain('Compare the supplier')
    expect(contents(last, 'user')).toHaveLength(12)
    expect(contents(last, 'tool')).toEqual([])
    expect(contents(last, 'user').at(-2)).toMatch(
      /^<skill_content name="invoice-check"[\s\S]*Compare the supplier/,
    )
    expect(contents(last, 'user').at(-1)).toMatch(/^bye(?![\s\S]*skill_open)/)
  })

  it('[CARD-5] reports errors of the service and continues', async () => {
    await using service = await scriptedService([])
    const { out, err } = await converse(service.address.replace('/v1', '/none'), ['hello', 'hello'])
    expect(out).toBe('')
    expect(err.match(/404/g)).toHaveLength(2)
  })
})

describe.skipIf(executablePath === undefined)('browser-agent (needs a browser)', () => {
  const place = join(folder, 'browser-agent')
  const made = (async () => {
    if (executablePath === undefined) return
    const filter = (source: string) => !/[\\/](?:node_modules|dist|public)$/.test(source)
    cpSync(join(root, 'examples/browser-agent'), place, { recursive: true, filter })
    const { scripts } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
      scripts: { skills: string }
    }
    await cli(scripts.skills.split(' ').slice(1), { cwd: place })
    const configFile = join(place, 'vite.config.ts')
    await build({ root: place, configFile, logLevel: 'error', resolve: { alias: SOURCES } })
  })()

  async function open(script: Parameters<typeof scriptedModel>[0]) {
    await made
    const model = scriptedModel(script)
    const [browser, site] = await Promise.all([
      startBrowser(),
      serveStatic(join(place, 'dist'), '/any/where/'),
    ])
    const { page, problems } = await visit(browser, site.address)
    await page.route('https://model.invalid/v1/chat/completions', async route => {
      const request = route.request()
      const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers: cors })
      const json = model.reply(
        (await request.allHeaders())['authorization'],
        request.postData() ?? '',
      )
      return route.fulfill({ json, headers: cors })
    })
    await page.getByText('3 skills').waitFor()
    await page.getByLabel('Endpoint').fill('https://model.invalid/v1/')
    await page.getByLabel('Key').fill('a-key')
    return {
      ...model,
      page,
      problems,
      async send(message: string) {
        await page.getByLabel('Message').fill(message)
        await page.getByRole('button', { name: 'Send' }).click()
      },
    }
  }

  it('[CARD-5] opens a matching skill, reads its file and answers; the page is accessible', async () => {
    const agent = await open([LOAD, READ, 'The tax is wrong. <b>Do not pay.</b>'])
    const { page, requests, problems } = agent
    await agent.send('check this invoice before I pay it')
    await page.getByText('of the context; open skills: invoice-check').waitFor()
    expect(await page.getByRole('log').getByRole('listitem').allTextContents()).toEqual([
      'check this invoice before I pay it',
      'load_skill {"skill":"invoice-check"}',
      'read_skill_file {"skill":"invoice-check","path":"references/rates.csv"}',
      'The tax is wrong. <b>Do not pay.</b>',
    ])
    expect(requests[0]).toMatchObject({ authorization: 'Bearer a-key', model: 'gpt-4.1-mini' })
    expect(contents(requests[0], 'system')[0]).toContain('<name>sourdough</name>')
    expect(contents(requests[0], 'user')[0]).toContain('<matching_skills>')
    expect(contents(requests[1], 'tool')[0]).toContain(
      'Compare the supplier and the account number',
    )
    expect(contents(requests[2], 'tool')[1]).toContain('path="references/rates.csv"')
    expect(problems).toEqual([])
    await page.addScriptTag({ path: join(root, 'node_modules/axe-core/axe.min.js') })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(
        await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))'),
      ).toEqual([])
    }
  })

  it('[CARD-5] keeps a message that failed to send', async () => {
    const agent = await open(['Hello.'])
    const { page, requests } = agent
    await page.getByLabel('Endpoint').fill(`${new URL('none', page.url()).href}`)
    await agent.send('hello')
    await page.getByRole('status').getByText('404').waitFor()
    await page.getByLabel('Endpoint').fill('https://model.invalid/v1')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Hello.').waitFor()
    expect(contents(requests[0], 'user')).toEqual(['hello'])
  })
})

it('[CARD-5] browser-agent type-checks in strict mode', () => {
  const { files, errors } = checkExample('browser-agent')
  expect(files).toHaveLength(2)
  expect(errors).toEqual([])
})
