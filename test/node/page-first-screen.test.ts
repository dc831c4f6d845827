import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import {
  describePage,
  eventually,
  GARDEN,
  HOLD_REST,
  packed,
  sampleLibrary,
  textOf,
} from './page-world.js'

/** Notes the requests that the first answer took. */
const OBSERVE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('#demonstration:not([hidden]) .match')) return
  observer.disconnect()
  window.taken = performance.getEntriesByType('resource').map(({ name }) => name)
}).observe(document, { subtree: true, childList: true, attributes: true })`
/** Holds back the part of the model for Chinese. */
const HOLD_CHINESE = `{
  const { fetch } = window
  window.fetch = async (request, ...rest) => {
    if (/\\/rows-zh-/.test(request.url ?? request)) await new Promise(resolve => { window.release = resolve })
    return fetch(request, ...rest)
  }
}`
/** Its verdict is the longest: the name of the skill. */
const PERFORMANCE = 'profile the CPU of a slow program'
const HIT = 'make slides about our launch'
const UNSURE = 'improve the photos'
const CLOSEST = 'look over this NDA before I sign it'
const FAR = 'dad turns 70, he hates stuff lying around, any idea'
const NOTHING = 'tell me a joke'

describePage(
  'the first screen of the demo page',
  { garden: () => packed(memory(GARDEN)) },
  world => {
    const demonstration = () => world.page.locator('#demonstration')
    const placeholder = () => world.box().getAttribute('placeholder')
    const verdict = () => textOf(world.page.locator('#verdict'))
    const costs = () => world.page.locator('#costs dd:not([aria-hidden])').allTextContents()
    const reason = () => textOf(world.results().first().locator('.reason'))

    it('[CARD-5] a message types itself and is answered, until someone types', async () => {
      await world.visit('samples', { bypassCSP: true, moves: true })
      await demonstration().getByText('An agent would load pdf').waitFor()
      await eventually(() => placeholder()).toBe('extract the tables from this PDF')
      await eventually(() => world.box().inputValue()).toBe('')
      await eventually(() => world.page.locator('.spine.pulled').count()).toBe(1)
      expect(await world.axeViolations('first screen', ['light', 'dark'])).toEqual([])
      await demonstration().getByText('kubernetes-debug', { exact: true }).first().waitFor()
      await demonstration().getByRole('button', { name: 'pause' }).click()
      await demonstration().getByRole('button', { name: 'continue' }).waitFor()
      await world.box().fill(HIT)
      await demonstration().waitFor({ state: 'hidden' })
      await eventually(() => placeholder()).toBe('Describe what you need')
      await world.box().fill('')
      await demonstration().waitFor()
    })

    it('[CARD-5] a library of others has no demonstration', async () => {
      await world.visit('garden')
      await eventually(world.resultNames).toEqual(['roses', 'tulips'])
      await world.modelsAreReady()
      await eventually(() => demonstration().isVisible()).toBe(false)
    })

    it('[CARD-5] the demonstration answers again with the part of the model that its message needs', async () => {
      const library = await sampleLibrary()
      const [best] = (await library.match('帮我写这周的周报')).matches
      const score = () => textOf(demonstration().locator('.match .score'))
      // With reduced motion it stays at its first message.
      await world.visit('samples', { locale: 'zh-CN', before: HOLD_CHINESE })
      await eventually(() => world.page.evaluate('typeof window.release')).toBe('function')
      const whole = `得分 ${Math.floor((best?.score ?? 0) * 100)}%`
      expect(await score()).not.toBe(whole)
      await world.page.evaluate('window.release()')
      await eventually(score).toBe(whole)
    })

    it('[BY-23] the page gives the three answers of match: a skill, skills to choose from, or nothing and why', async () => {
      const library = await sampleLibrary()
      const { skills } = library.snapshot
      const all = skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
      const names = skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
      const tokensOf = (id: string) => skills.find(skill => skill.id.endsWith(id))?.tokens
      await world.visit('samples')
      await world.ask(HIT)
      await eventually(verdict).toBe(
        'An agent would load pptAbove 70%, so it acts. A skill for this is almost surely here.',
      )
      const ppt = tokensOf('ppt')
      const opened = (ppt?.metadata ?? 0) + (ppt?.instructions ?? 0)
      const listed = names + (ppt?.instructions ?? 0)
      expect(await costs()).toEqual(
        [listed, opened, all].map(number => number.toLocaleString('en')),
      )
      expect(await textOf(world.page.locator('#facts'))).toMatch(
        /^1 of \d+ skills in (?:<0\.1|\d+\.\d) ms, 0 bytes sent/,
      )
      const sentence =
        'You said “slides”, “launch”, and “make”; this skill makes slide decks and presentations.'
      await eventually(reason).toBe(sentence)

      await world.ask(UNSURE)
      const { maybe } = await library.match(UNSURE)
      expect(maybe.length).toBeGreaterThan(1)
      await eventually(verdict).toBe(
        'Not sure which oneAn agent would ask, or choose. A skill for this may well be here.',
      )
      const choice = maybe.map(({ name }) => name).slice(0, 3)
      await eventually(async () => (await world.resultNames()).slice(0, choice.length)).toEqual(
        choice,
      )
      await eventually(() => world.page.locator('#results .maybe').count()).toBe(choice.length)

      await world.ask(CLOSEST)
      expect((await library.match(CLOSEST)).status).not.toBe('match')
      await eventually(verdict).toMatch(
        /^Closest: contract-review, \d+%Not sure enough to load it alone\. A skill for this /,
      )

      // Right, though too far to say so: nothing is denied, and the closest is named.
      await world.ask(FAR)
      expect((await library.match(FAR)).status).toBe('none')
      await eventually(verdict).toMatch(
        /^Probably nothing fitsThe closest is gift-ideas, \d+%: an agent would load none\.$/,
      )

      await world.ask(NOTHING)
      expect((await library.match(NOTHING)).maybe).toEqual([])
      await eventually(verdict).toBe(
        'Nothing here fitsThe nearest is below. An agent would load none. A skill for this is not here.',
      )
      expect((await costs())[1]).toBe('0')
      await eventually(() => world.page.locator('.item:is(.match, .maybe)').count()).toBe(0)
    })

    it('[CARD-5] no half word is answered: the last answer waits, and has the height of the next', async () => {
      await world.visit('samples', { before: HOLD_REST })
      await world.box().pressSequentially('book a ')
      await world.answered()
      await world.modelsAreReady()
      const card = world.page.locator('#card')
      const isStale = () => card.evaluate(element => element.classList.contains('stale'))
      await eventually(isStale).toBe(false)
      const before = await verdict()
      await world.box().pressSequentially('flig')
      await eventually(isStale).toBe(true)
      expect(await verdict()).toBe(before)
      // The user rests.
      await world.page.evaluate('window.rest()')
      await eventually(isStale).toBe(false)
      const heightOf = (id: string) =>
        world.page.locator(id).evaluate(element => element.getBoundingClientRect().height)
      const heights: Record<string, number> = {}
      for (const message of [HIT, UNSURE, CLOSEST, FAR, NOTHING, 'zzyzx', 'plan a week']) {
        await world.box().fill(message)
        await eventually(isStale).toBe(false)
        await eventually(() => world.page.locator('#results > [data-old]').count()).toBe(0)
        heights[message] = await heightOf('#card')
      }
      expect(new Set(Object.values(heights)), JSON.stringify(heights)).toHaveLength(1)
    })

    it('[CARD-5] on a phone a verdict is whole, all have one height, and the result is on the screen', async () => {
      await world.visit('samples', { width: 360 })
      const box = world.page.locator('#verdict')
      const headline = () =>
        box.locator('b').evaluate(element => ({
          right: element.scrollWidth - element.clientWidth,
          below: element.scrollHeight - element.clientHeight,
        }))
      const heights: number[] = []
      for (const message of [PERFORMANCE, HIT, UNSURE, FAR, NOTHING]) {
        await world.ask(message)
        heights.push((await box.boundingBox())?.height ?? 0)
        expect([message, await headline()]).toEqual([message, { right: 0, below: 0 }])
      }
      expect(new Set(heights), heights.join()).toHaveLength(1)
      await world.ask(PERFORMANCE)
      await eventually(verdict).toContain('performance-profiling')
      await world.page.setViewportSize({ width: 360, height: 640 })
      await world.page.evaluate('scrollTo(0, 0)')
      await world.ask(HIT)
      for (const shown of ['.name', '.reason']) {
        const { y = 0, height = 0 } =
          (await world.results().first().locator(shown).boundingBox()) ?? {}
        expect(y + height).toBeLessThan(640)
      }
    })

    it.each(['en-US', 'zh-CN'])(
      '[CARD-5] the first example opens a skill in the language of the reader, without problems: %s',
      async locale => {
        const han = /\p{Script=Han}/u
        await world.visit('samples', { locale })
        await world.page.locator('#examples button').first().click()
        await world.answered()
        await world.results().first().click()
        const instructions = world.page.locator('.skill .prose').first()
        await instructions.waitFor()
        for (const shown of [world.page.locator('.skill .lead'), instructions]) {
          expect(han.test(await textOf(shown))).toBe(locale === 'zh-CN')
        }
        expect(await world.page.locator('.skill .diagnostics').count()).toBe(0)
      },
    )

    it('[CARD-5] the answer is on a screen of 390 by 420, and of 640 by 400', async () => {
      await world.visit('samples', { width: 390 })
      for (const [width, height] of [
        [390, 420],
        [640, 400],
      ] as const) {
        await world.page.setViewportSize({ width, height })
        await world.box().fill('')
        await world.page.evaluate('scrollTo(0, 0)')
        await world.box().blur()
        await world.box().focus()
        await world.ask(HIT)
        const bottom = async (): Promise<number> => {
          const box = await world.results().first().boundingBox()
          return (box?.y ?? 0) + (box?.height ?? 0)
        }
        await eventually(bottom).toBeLessThanOrEqual(height)
        const top = await world.box().boundingBox()
        expect(top?.y).toBeGreaterThanOrEqual(0)
      }
    })

    it('[BY-23] reasons are sentences in English and Chinese: what the user said, and what the skill does', async () => {
      const reasons = async (messages: Readonly<Record<string, string>>): Promise<void> => {
        for (const [message, sentence] of Object.entries(messages)) {
          await world.box().fill(message)
          await eventually(reason).toBe(sentence)
        }
      }
      await world.visit('samples')
      await reasons({
        'rotate the pages': 'You said “rotate” and “pages”; this skill says “Work with PDF files”.',
        'why do my pods keep restarting?':
          'Your message is like one of its examples: “my pod keeps restarting every thirty seconds and I have no idea why”.',
      })
      await world.visit('samples', { locale: 'zh-CN' })
      await reasons({
        帮我调研AI市场: '你说到“调研”、“市场”；这个技能的用途是：围绕一个主题做系统调研。',
      })
    })

    it('[CARD-5] nothing moves on a phone when the script of the page runs, nor later with reduced motion', async () => {
      await world.visit('samples', { width: 412 })
      const places = async () => {
        const boxes = ['#install', '#message', '#card'].map(id =>
          world.page.locator(id).boundingBox(),
        )
        return (await Promise.all(boxes)).map(box => box?.y)
      }
      const { release, count } = await world.hold(/\.js$/)
      await world.page.reload({ waitUntil: 'commit' })
      await eventually(count).toBeGreaterThan(0)
      await eventually(() => world.page.evaluate('document.styleSheets.length')).toBe(1)
      await world.page.evaluate('document.fonts.ready.then(() => undefined)')
      const before = await places()
      await release()
      await demonstration().getByText('An agent would load pdf').waitFor()
      await eventually(places).toEqual(before)
      await eventually(() => demonstration().getByRole('button').count()).toBe(0)
    })

    it('[CARD-5] the first match takes at most 25 requests and 600 kB, and the files for offline use come later', async () => {
      await world.visit('samples', { worker: true, before: OBSERVE })
      await eventually(() => world.page.evaluate('window.taken !== undefined')).toBe(true)
      const taken = ((await world.page.evaluate('window.taken')) as string[]).map(name =>
        name.slice(`${world.origin}/samples/`.length),
      )
      expect(taken.length).toBeLessThan(25)
      expect(taken.filter(name => /^skills\/files\/|^sw\.js$/.test(name))).toEqual([])
      const bytes = [...new Set(taken), 'index.html'].map(name => {
        const content = name.startsWith('skills/')
          ? world.sampleFiles.get(name.slice(7))
          : world.files.get(name)
        if (content === undefined) throw new Error(`${name} is no file of the page`)
        // A host compresses texts only.
        return typeof content === 'string' ? gzipSync(content).length : content.length
      })
      expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000)
      await eventually(world.footer).toMatch(/works offline$/)
    })

    it('[CARD-5] the install command is copied, and the three ways in run in the tab', async () => {
      await world.visit('samples')
      await world.page.getByRole('button', { name: 'Copy: npm install skillshelf' }).click()
      await world.page.getByText('Copied', { exact: true }).first().waitFor()
      expect(await world.clipboard()).toBe('npm install skillshelf')
      const runs = async (name: string): Promise<string> => {
        await world.page.getByRole('button', { name: `Run it here: ${name}` }).click()
        const way = world.page.getByRole('region', { name })
        await way.getByText('Its answer to “extract the tables from this PDF”:').waitFor()
        return textOf(way.locator('.output'))
      }
      // Each says what the card says: one skill, and no other.
      expect(await runs('A page')).toContain('"id": "skills/pdf"')
      const prompt = await runs('An agent')
      expect(prompt).toContain('<matching_skills>')
      const server = await runs('A server')
      expect(server).toContain('"matches"')
      for (const output of [prompt, server]) {
        expect(output).not.toMatch(/excel-report|sql-query|"score": 0\.0/)
      }
    })
  },
)
