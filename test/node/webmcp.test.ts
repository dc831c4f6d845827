import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { registerSkillTools, type WebMcpOptions } from '../../src/agent/adapters/webmcp.js'
import { createSession } from '../../src/exports/session.js'
import { executablePath } from '../launch.js'
import { openFiles, TEA } from './agent-world.js'
import { bundleScript, startBrowser } from './pages.js'
import type { Page as Own } from './webmcp-page.js'

/** The part of `document.modelContext` that other scripts of the page use. */
interface ModelContext {
  getTools(): Promise<
    { name: string; description: string; inputSchema?: object | string; annotations?: object }[]
  >
  executeTool(tool: unknown, input: object | string): Promise<unknown>
  registerTool(tool: object): Promise<void>
  addEventListener(type: 'toolchange', listener: () => void): void
}
declare const document: { modelContext: ModelContext }
declare const page: Own

const PAGE = 'http://localhost/'
const NAMES = ['search_skills', 'load_skill', 'read_skill_file', 'unload_skill']

const browser =
  executablePath === undefined ? undefined : await startBrowser('--enable-features=WebMCP')

async function hasWebMcp(): Promise<boolean> {
  if (browser === undefined) return false
  const tab = await browser.newPage()
  await tab.route('**', route => route.fulfill({ contentType: 'text/html', body: '' }))
  await tab.goto(PAGE)
  return tab.evaluate(() => 'modelContext' in document)
}

it('[BY-7] WebMCP: throws without document.modelContext', async () => {
  const { library } = await openFiles()
  await using _ = library
  await expect(registerSkillTools(createSession(library))).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining(
      'document.modelContext is not available (WebMCP needs a secure page',
    ),
  })
})

describe.skipIf(!(await hasWebMcp()))('WebMCP in a page (needs a Chromium that has it)', () => {
  let script: string
  beforeAll(async () => {
    script = await bundleScript(
      "import { page } from './webmcp-page.ts'; Object.assign(globalThis, { page })",
    )
  })

  async function open(): Promise<Page & AsyncDisposable> {
    const tab = (await browser?.newPage()) as Page
    await tab.route('**', route =>
      route.request().url() === PAGE
        ? route.fulfill({
            contentType: 'text/html',
            body: '<script type="module" src="/page.js"></script>',
          })
        : route.fulfill({ contentType: 'text/javascript', body: script }),
    )
    await tab.goto(PAGE)
    await tab.waitForFunction(() => 'page' in globalThis)
    return Object.assign(tab, { [Symbol.asyncDispose]: () => tab.close() })
  }
  const offer = (tab: Page, options: Omit<WebMcpOptions, 'signal'> = {}): Promise<void> =>
    tab.evaluate(given => page.offer(given), options)
  const names = (tab: Page): Promise<string[]> =>
    tab.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name))
  const call = (tab: Page, name: string, input: object): Promise<unknown> =>
    tab.evaluate(
      async ([wanted, given]) => {
        const tools = await document.modelContext.getTools()
        const tool = tools.find(({ name }) => name === wanted)
        // Some versions of Chromium give the schema, and take the input, as JSON.
        const isText = typeof tool?.inputSchema === 'string'
        return document.modelContext.executeTool(tool, isText ? JSON.stringify(given) : given)
      },
      [name, input] as const,
    )

  it('[BY-7] WebMCP: another script finds the tools, and searches, opens and reads skills', async () => {
    await using tab = await open()
    await offer(tab)
    expect(await names(tab)).toEqual(expect.arrayContaining(NAMES))
    const described = await tab.evaluate(async () => {
      const [tool] = (await document.modelContext.getTools()).filter(
        ({ name }) => name === 'load_skill',
      )
      const schema = tool?.inputSchema
      return {
        schema: typeof schema === 'string' ? JSON.parse(schema) : schema,
        hints: tool?.annotations,
      }
    })
    const hints = { readOnlyHint: true, untrustedContentHint: true }
    expect(described).toMatchObject({ schema: { type: 'object', required: ['skill'] }, hints })
    expect(await call(tab, 'search_skills', { query: 'check this invoice' })).toContain(
      '<name>invoice-check</name>',
    )
    expect(await call(tab, 'load_skill', { skill: 'invoice-check' })).toMatch(
      /^<skill_content name="invoice-check"/,
    )
    expect(
      await call(tab, 'read_skill_file', { skill: 'invoice-check', path: 'rates.csv' }),
    ).toContain('standard,21')
  })

  it('[BY-7] WebMCP: errors arrive with their message', async () => {
    await using tab = await open()
    await offer(tab)
    expect(await call(tab, 'load_skill', { skill: 'coffee' })).toContain('Skill "coffee" not found')
    expect(await call(tab, 'load_skill', {})).toContain('load_skill was not run. skill is missing')
  })

  it('[AC-6] WebMCP: tools follow the library', async () => {
    await using tab = await open()
    await tab.evaluate(() => page.offerListing())
    /** Waits until the only tool has this description, or for `undefined` until no tool is left. */
    const described = (wanted: string | undefined): Promise<void> =>
      tab.evaluate(async text => {
        for (;;) {
          const changed = new Promise<void>(resolve =>
            document.modelContext.addEventListener('toolchange', resolve),
          )
          const [tool] = await document.modelContext.getTools()
          if (tool?.description === text) return
          await changed
        }
      }, wanted)
    const head = 'Execute a skill. Available skills:'
    await described(
      `${head}\n- invoice-check: Checks an invoice before it is paid\n- tea: Brews tea`,
    )
    await tab.evaluate(() => page.remove('invoice-check/SKILL.md', 'invoice-check/rates.csv'))
    await described(`${head}\n- tea: Brews tea`)
    await tab.evaluate(() => page.remove('tea/SKILL.md'))
    await described(undefined)
    await tab.evaluate(files => page.put(files), TEA)
    await described(`${head}\n- tea: Brews tea`)
    expect(await call(tab, 'skill', { skill: 'tea' })).toBe('Boil water.')
  })

  it('[BY-7] WebMCP: an abort removes the tools and stops updates', async () => {
    await using tab = await open()
    await offer(tab, { prefix: 'skills_' })
    await tab.evaluate(() => page.offerListing())
    expect(await names(tab)).toEqual(
      expect.arrayContaining(['skill', ...NAMES.map(name => `skills_${name}`)]),
    )
    await tab.evaluate(() => page.stop())
    expect(await names(tab)).toEqual([])
    await tab.evaluate(() =>
      page.put({ 'coffee/SKILL.md': '---\nname: coffee\ndescription: Coffee\n---\nGrind.' }),
    )
    expect(await names(tab)).toEqual([])
    await expect(offer(tab)).rejects.toThrow(/The operation was aborted/)
  })

  it('[BY-7] WebMCP: registers no tool if a name is taken, and all tools with a prefix', async () => {
    await using tab = await open()
    await tab.evaluate(() => {
      const mine = { name: 'load_skill', description: 'Mine', inputSchema: { type: 'object' } }
      return document.modelContext.registerTool({ ...mine, execute: async () => 'mine' })
    })
    await expect(offer(tab)).rejects.toThrow(
      /WebMCP rejects the tool name "load_skill": .*Duplicate tool name.* \(pass another `prefix`/,
    )
    expect(await names(tab)).toEqual(['load_skill'])
    await offer(tab, { prefix: 'skills_' })
    expect(await names(tab)).toHaveLength(5)
    expect(await call(tab, 'load_skill', {})).toBe('mine')
  })

  it('[BY-7] WebMCP: errors name the tool and suggest a prefix', async () => {
    await using tab = await open()
    const failing = (options: Omit<WebMcpOptions, 'signal'>) =>
      tab.evaluate(
        given =>
          page.offer(given).then(
            () => 'offered',
            error => ({
              code: error.code,
              subject: error.details?.subject,
              message: error.message,
            }),
          ),
        options,
      )
    await offer(tab, { prefix: 'skills_' })
    const before = await names(tab)
    const rejected = /^WebMCP rejects the tool name .*search_skills": .+ \(pass another `prefix`/
    const invalid = /^The tool name .*search_skills" is not valid \(names have .* another `prefix`/
    for (const [prefix, message] of [
      ['skills_', rejected],
      ['skills.', invalid],
      ['工具 ', invalid],
      ['x'.repeat(128), invalid],
    ] as const)
      expect(await failing({ prefix })).toEqual({
        code: 'invalid-input',
        subject: `${prefix}search_skills`,
        message: expect.stringMatching(message),
      })
    expect(await names(tab)).toEqual(before)
  })
})
