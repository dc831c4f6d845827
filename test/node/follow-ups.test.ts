import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bundled } from '../../src/search/model/bundled/package.js'
import { temporaryFolder } from '../folders.js'
import { executablePath } from '../launch.js'
import { type Conversation, converse } from './converse.js'
import { bundleScript, startBrowser } from './pages.js'
import { hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'
import { snippetsOf, withoutTypes } from './snippets.js'

/** The loop of docs/agents.md, as written, over 23 skills of a registry: nine messages, and a follow-up of each. */

const ARCHIVE = fileURLToPath(
  new URL('../../../shared/data/clawhub-folders.tar.xz', import.meta.url),
)
const SKILLS =
  `abgohel/meow-finder ajmwagar/render-stl-png akhil-naidu/dokku alirezarezvani/tdd-guide aloth/overleaf-skill
  alti-systems/goal-tracker amascia-gg/ggshield-scanner andreolf/watch-my-money anthonyfrancis/daily-rhythm araa47/md-2-pdf
  ascendswang/ffmpeg-cli asteinberger/home-music barneyjm/hotel-finder jamestsetsekas/lnbits-with-qrcode lamelas/himalaya
  lxgicstudios/github-action-gen manikantasai1987/manikantasai-playwright-automation ngutman/video-subtitles sa9saq/img-optimizer
  thekie/cookidoo tomstools11/resume-optimizer xenofex7/swissweather 0731coderlee-sudo/wechat-publisher`.split(
    /\s+/,
  )
const PAIRS: readonly (readonly [message: string, followUp: string, skill: string])[] = [
  ['how much did I spend on food this month', 'and last month?', 'watch-my-money'],
  ['cut a video clip to ten seconds', 'and as a GIF?', 'ffmpeg-cli'],
  ['weather in Zurich tomorrow', 'and in Geneva?', 'swissweather'],
  ['find hotels or hostels near the station', 'and for two nights?', 'hotel-finder'],
  ['play the morning music scene on the speakers', 'and a bit louder please', 'home-music'],
  ['compress and resize this image', 'and the other ones?', 'img-optimizer'],
  ['convert my markdown notes to a PDF', 'yes, do that for the second one too', 'md-to-pdf'],
  ['publish this Markdown article to WeChat', 'and with the dark theme', 'wechat-publisher'],
  ['find a Thermomix recipe for dinner', 'and one for lunch?', 'cookidoo'],
]
const EXPECTED = PAIRS.map(([, , name]) => [name, name])

/** The SKILL.md of each skill, the loop, and the messages: one conversation for each pair, and one for all of them. */
function given(): Conversation {
  const root = temporaryFolder()
  execFileSync('tar', ['-xJf', ARCHIVE, '-C', root, ...SKILLS])
  const files = SKILLS.map(path => {
    const file = `${path.split('/')[1]}/SKILL.md`
    return [file, readFileSync(join(root, path, 'SKILL.md'), 'utf8')] as const
  })
  const [code = ''] = snippetsOf('docs/agents.md').filter(text => text.includes('reply.refusal'))
  const loop = withoutTypes(code).replace(
    /^import (\{.*\}) from '(.*)';$/gm,
    'const $1 = await load("$2")',
  )
  const pairs = PAIRS.map(([message, followUp]) => [message, followUp])
  return { files: Object.fromEntries(files), conversations: [...pairs, pairs.flat()], loop }
}

describe.skipIf(!hasRealSkills)(`the loop of docs/agents.md${WITHOUT_REAL_SKILLS}`, () => {
  it('[BY-29] nine follow-ups find their skill in Node', async () => {
    const conversation = given()
    expect(Object.keys(conversation.files)).toHaveLength(23)
    const { first, kept } = await converse(conversation, await bundled())
    expect(first).toEqual([...EXPECTED, EXPECTED.flat()])
    const said = conversation.conversations.flat().flatMap(message => [message, 'Done.'])
    expect(kept).toEqual(said)
  })

  it.skipIf(executablePath === undefined)(
    '[BY-29] nine follow-ups find their skill in a page, by words (needs a browser)',
    async () => {
      const entry = "import { converse } from './converse.js'\nglobalThis.converse = converse\n"
      const [browser, script] = await Promise.all([startBrowser(), bundleScript(entry)])
      const page = await browser.newPage()
      await page.addScriptTag({ content: script, type: 'module' })
      await page.waitForFunction(() => 'converse' in globalThis)
      const run = (conversation: Conversation) =>
        (globalThis as unknown as { converse: typeof converse }).converse(conversation, false)
      const { first } = await page.evaluate(run, given())
      expect(first).toEqual([...EXPECTED, EXPECTED.flat()])
    },
  )
})
