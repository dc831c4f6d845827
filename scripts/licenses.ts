import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from './exports.js'

/** The modules that builds by esbuild contain. */
export function modulesOf(builds: readonly Metafile[]): string[] {
  return builds.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  )
}

/** The license and notice of this package, and the license of each package of these modules. */
export function licenses(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap(path => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0] ?? []),
  )
  const own = [
    readFileSync(join(root, 'LICENSE'), 'utf8'),
    readFileSync(join(root, 'NOTICE'), 'utf8'),
  ]
  const others = [...packages].sort().map(path => {
    const folder = resolve(root, path)
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as {
      name: string
      version: string
      license: string
    }
    const file = readdirSync(folder).find(one => /^licen[cs]e(?:[.-]|$)/i.test(one))
    if (!file) throw new Error(`${name} is bundled but has no license file`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`
  })
  return `${[...own, ...others].map(text => text.trim()).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
