/** Draws the pictures of the demo page from its icon: npx tsx scripts/page-images.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launch } from '../test/launch.js'

const demo = fileURLToPath(new URL('../demo/', import.meta.url))
const icon = readFileSync(`${demo}images/icon.svg`, 'utf8')
const svg = `data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}`

const font = readFileSync(`${demo}fonts/bricolage-grotesque-700.woff2`).toString('base64')
const BINDINGS = ['#2f8f79', '#d9993f', '#5b8cc4', '#e5dfcd', '#c05a4c']
const spines = Array.from({ length: 34 }, (_, index) => {
  const height = 90 + ((index * 37) % 50)
  return `<i style="height:${height}px;background:${BINDINGS[index % 5]};opacity:${index === 18 ? 1 : 0.4}"></i>`
})

/** The picture that other sites show beside a link: the first screen of the page. */
const CARD = `
  <style>
    @font-face { font-family: Bricolage; src: url(data:font/woff2;base64,${font}); }
    body { margin: 0; background: #0f2b25; color: #f1f4ec; font-family: Bricolage; }
    main { position: relative; box-sizing: border-box; width: 1200px; height: 630px; padding: 70px 80px; border-bottom: 16px solid #d9993f; }
    h1 { margin: 0 0 36px; font-size: 44px; display: flex; gap: 18px; align-items: center; }
    h1 img { padding: 8px; border-radius: 10px; background: #f7f8f5; }
    p { margin: 0; max-width: 1040px; font-size: 76px; line-height: 1.05; letter-spacing: -0.025em; }
    div { position: absolute; inset: auto 80px 0; display: flex; gap: 4px; align-items: end; }
    i { flex: 1; border-radius: 3px 3px 0 0; }
    i:nth-child(19) { transform: translateY(-36px); }
  </style>
  <main>
    <h1><img src="${svg}" width="52" height="52">skillshelf</h1>
    <p>Finds the right skill for your AI agent. In the browser, on a server, offline.</p>
    <div>${spines.join('')}</div>
  </main>`

const browser = await launch()
const draw = async (file: string, width: number, height: number, html: string): Promise<void> => {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(html)
  await page.evaluate('document.fonts.ready')
  writeFileSync(`${demo}images/${file}`, await page.screenshot())
  await page.close()
}
for (const size of [192, 512]) {
  const margin = Math.round(size * 0.14)
  const style = `margin:0;background:#f7f8f5;width:${size}px;height:${size}px`
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
