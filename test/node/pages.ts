import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser } from 'playwright'
import { afterAll } from 'vitest'
import { launch } from '../launch.js'

const browsers = new Map<string, Promise<Browser>>()
afterAll(async () => {
  for (const [switches, browser] of browsers) {
    browsers.delete(switches)
    await (await browser).close()
  }
})

/** A browser with these switches, which the tests of a file share. It is closed after them, or at the end of the process. */
export function startBrowser(...args: string[]): Promise<Browser> {
  const browser = browsers.get(args.join()) ?? launch(...args)
  browsers.set(args.join(), browser)
  return browser
}

/** Bundles a module whose imports are relative to this folder. Returns the text of the script. */
export async function bundleScript(
  contents: string,
  format: 'esm' | 'iife' = 'esm',
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    format,
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}
