/**
 * The public API of each export path, as one report per path in `test/api`: `npm run api` writes them, and a test compares them, so
 * that a change to the API is seen in review. Needs a build.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Folder of the reports that are checked in. */
export const REPORTS = join(root, 'test/api')

/** Declaration files of the export paths, by the name of their report: `adapters/openai` becomes `adapters-openai`. */
export function entryPoints(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const entries = new Map<string, string>()
  for (const [path, target] of Object.entries(exports)) {
    // `./browser` has the types of the main entry, `./virtual` has no module of its own.
    if (typeof target === 'string' || path === './browser' || path === './virtual') continue
    entries.set(path === '.' ? 'index' : path.slice(2).replaceAll('/', '-'), join(root, target.types))
  }
  return entries
}

const usesDom = (name: string): boolean => /\b(?:element|react|vue)\b/.test(name)

/** Writes a report for each export path to `folder` and removes the reports of paths that no longer exist. */
export function writeReports(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const temporary = mkdtempSync(join(tmpdir(), 'skillshelf-api-'))
  const entries = entryPoints()
  for (const [name, declarations] of entries) {
    const configObject: IConfigFile = {
      projectFolder: root,
      mainEntryPointFilePath: declarations,
      // With the DOM, types such as `Plugin` are globals.
      compiler: { tsconfigFilePath: join(root, usesDom(name) ? 'src/tsconfig.docs.json' : 'src/tsconfig.node.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: temporary,
        includeForgottenExports: false,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    }
    const config = ExtractorConfig.prepare({
      configObject,
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, 'package.json'),
    })
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback: message => {
        message.handled = true
      },
    })
  }
  rmSync(temporary, { recursive: true })
  for (const file of readdirSync(folder))
    if (!entries.has(file.replace(/\.api\.md$/, ''))) rmSync(join(folder, file), { recursive: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeReports(REPORTS)
  console.log(`${entryPoints().size} reports in test/api`)
}
