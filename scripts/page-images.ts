/** Draws the pictures of the demo page from its icon: npx tsx scripts/page-images.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launch } from '../test/launch.js'

const demo = fileURLToPath(new URL('../demo/', import.meta.url))
const icon = readFileSync(`${demo}icon.svg`, 'utf8')
const svg = `data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}`

/** The picture that other sites show beside a link. */
const CARD = `
  <style>
    body { margin: 0; background: #faf8f4; color: #1f1d1a; font-family: Georgia, 'DejaVu Serif', serif; }
    main { box-sizing: border-box; width: 1200px; height: 630px; padding: 80px 90px; }
    h1 { margin: 0 0 40px; font-size: 56px; display: flex; gap: 24px; align-items: center; }
    p { margin: 0 0 44px; font-size: 40px; line-height: 1.35; color: #5c5750; }
    .box { padding: 24px 32px; border: 3px solid #12685b; border-radius: 20px; font-size: 38px; background: #fff; }
    .match { margin-top: 24px; padding: 0 32px; font-size: 34px; color: #12685b; }
  </style>
  <main>
    <h1><img src="${svg}" width="80" height="80">skillshelf</h1>
    <p>Agent skills found in the browser tab: offline, in milliseconds, with a reason for each.</p>
    <div class="box">book a flight to Tokyo</div>
    <div class="match">→ book-flight</div>
  </main>`

const browser = await launch()
const draw = async (file: string, width: number, height: number, html: string): Promise<void> => {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(html)
  writeFileSync(`${demo}images/${file}`, await page.screenshot())
  await page.close()
}
for (const size of [192, 512]) {
  const margin = Math.round(size * 0.14)
  const style = `margin:0;background:#faf8f4;width:${size}px;height:${size}px`
  const side = size - 2 * margin
  await draw(
    `icon-${size}.png`,
    size,
    size,
    `<body style="${style}"><img src="${svg}" width="${side}" height="${side}" style="margin:${margin}px">`,
  )
}
await draw('og.png', 1200, 630, CARD)
await browser.close()
