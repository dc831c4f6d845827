/** Films the demo page for the README, docs/demo.gif: npm run gif */
import { writeFileSync } from 'node:fs'
import gifenc from 'gifenc'
import { PNG } from 'pngjs'
import { addDemo } from '../bench/page/demo.js'
import { startHost } from '../bench/page/host.js'
import { launch } from '../test/launch.js'

const { GIFEncoder, applyPalette, quantize } = gifenc
const SIZE = { width: 1080, height: 680 }
/** Milliseconds for two letters, and for reading. */
const TYPING = 100
const READING = 2_400
const MAX_BYTES = 1_000_000
/** The page answers half a word after a rest of the user: the film has none. */
const HOLD_REST = `{
  const later = window.setTimeout
  window.setTimeout = (run, ms, ...rest) => (ms === 250 ? 0 : later(run, ms, ...rest))
}`
/** The index of pixels that stay as they are, which compress well. */
const UNCHANGED = 255

const host = await startHost()
const path = await addDemo(host)

const browser = await launch()
const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' })
const frames: { pixels: Uint8Array; delay: number }[] = []
const shoot = async (delay: number): Promise<void> => {
  const { data } = PNG.sync.read(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  frames.push({ pixels: new Uint8Array(data), delay })
}
/** Types a message, and waits for the verdict that the film is about: the load of the machine changes no frame. */
const ask = async (message: string, verdict: string): Promise<void> => {
  await page.locator('#message').fill('')
  for (let end = 2; end < message.length; end += 2) {
    await page.locator('#message').pressSequentially(message.slice(end - 2, end))
    await shoot(TYPING)
  }
  await page.locator('#message').fill(message)
  await page.locator('#card:not(.stale) #verdict').getByText(verdict).waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(READING)
}
/** Opens the first skill, and waits until its instructions are shown. */
const open = async (): Promise<void> => {
  await page.keyboard.press('Enter')
  await page.locator('#details[aria-busy=false] .prose').waitFor()
  await shoot(READING)
}
await page.addInitScript(HOLD_REST)
await page.goto(`${host.origin}/${path}`)
await page.locator('#models[aria-busy=false]').waitFor({ state: 'attached' })
await page.locator('#ways h2').waitFor({ state: 'attached' })
await page.evaluate('document.fonts.ready.then(() => undefined)')
// The first frame is what a reader sees who has stopped the film: a skill that was found. So is the last.
await page.locator('#demonstration').getByText('An agent would load pdf').waitFor()
await page.waitForLoadState('networkidle')
await shoot(READING)
await ask('why do my pods keep restarting?', 'An agent would load kubernetes-debug')
await open()
await page.keyboard.press('Escape')
await page.locator('#details').waitFor({ state: 'hidden' })
await ask('tell me a joke', 'Nothing here fits')
await ask('draw a bar chart of our sales', 'An agent would load chart-maker')
await open()
await browser.close()
await host.close()

/** One palette for all frames, of every 16th pixel. */
const colors = new Uint8Array(
  frames.flatMap(({ pixels }) => [...pixels.filter((_, at) => at % 64 < 4)]),
)
const palette = quantize(colors, UNCHANGED)
const gif = GIFEncoder()
let before: Uint8Array | undefined
for (const { pixels, delay } of frames) {
  const indexes = applyPalette(pixels, palette)
  const changed = indexes.map((color, at) => (before?.[at] === color ? UNCHANGED : color))
  gif.writeFrame(changed, SIZE.width, SIZE.height, {
    palette: [...palette, [0, 0, 0]],
    delay,
    transparent: true,
    transparentIndex: UNCHANGED,
    dispose: 1,
  })
  before = indexes
}
gif.finish()
const bytes = gif.bytes()
if (bytes.length > MAX_BYTES) {
  throw new Error(`The GIF has ${bytes.length} bytes, more than ${MAX_BYTES}`)
}
writeFileSync(new URL('../docs/demo.gif', import.meta.url), bytes)
console.log(`docs/demo.gif: ${frames.length} frames, ${bytes.length} bytes`)
