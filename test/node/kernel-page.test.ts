import type { Browser } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { nearestByVector } from '../../src/search/match/vector-scan.js'
import { randomVectors, unitVector } from '../core/vectors-world.js'
import { executablePath } from '../launch.js'
import { startHttpServer } from './http-server.js'
import { bundleScript, startBrowser } from './pages.js'

const ENTRY = `
import { kernelCosines } from '../../src/search/match/vector-scan.js'
import { nearestByVector } from '../../src/search/match/vector-scan.js'
import { randomVectors, unitVector } from '../core/vectors-world.js'
const violations = []
document.addEventListener('securitypolicyviolation', ({ blockedURI }) => violations.push(blockedURI))
const find = skills => nearestByVector(unitVector(128, 5), [{ vectors: randomVectors(128, skills) }], 50)
const small = find(1500)
// Violations are reported in a task of their own.
const settled = () => new Promise(resolve => setTimeout(resolve))
globalThis.run = async () => {
  await settled()
  const early = violations.length
  return { small, early, large: find(4000), kernel: kernelCosines() !== undefined, violations: (await settled(), violations) }
}
`
const PAGE =
  '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/script.js"></script>'

describe.skipIf(executablePath === undefined)('the kernel in a page (needs a browser)', () => {
  let browser: Browser
  let script: string
  beforeAll(async () => {
    ;[browser, script] = await Promise.all([startBrowser(), bundleScript(ENTRY)])
  })

  it.each([
    ["default-src 'none'; script-src 'self'", false],
    ["default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", true],
  ])('[BY-20] finds the same skills under the policy %s', async (policy, kernel) => {
    const { address } = await startHttpServer(({ url }, response) => {
      if (url === '/script.js')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
      else
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
          .end(PAGE)
    })
    const page = await browser.newPage()
    await page.goto(address)
    await page.waitForFunction(() => 'run' in globalThis)
    const found = await page.evaluate(() =>
      (globalThis as unknown as { run(): Promise<object> }).run(),
    )
    const query = unitVector(128, 5)
    const find = (skills: number) =>
      nearestByVector(query, [{ vectors: randomVectors(128, skills) }], 50)
    const violations = kernel ? [] : expect.arrayContaining(['wasm-eval'])
    expect(found).toEqual({ small: find(1_500), early: 0, large: find(4_000), kernel, violations })
    await page.close()
  })
})
