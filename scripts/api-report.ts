/**
 * The public API of each export path, as one report per path in `test/api`: `npm run api` writes them and the field `exports` of
 * package.json, and a test compares them, so that a change to the API is seen in review. Reads the declarations in `dist`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from '@microsoft/api-extractor'
import { type ExportPath, exportPaths, root, writeManifest } from './exports.js'

/** Folder of the reports that are checked in. */
export const REPORTS = join(root, 'test/api')

/** The export paths by the name of their report: that of `skillshelf/adapters/openai` is `adapters-openai`. */
export function reports(): ReadonlyMap<string, ExportPath> {
  return new Map(exportPaths().map(path => [path.file.replaceAll('/', '-'), path]))
}

/** Writes a report for each export path to `folder` and removes the reports of paths that no longer exist. */
export function writeReports(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const temporary = mkdtempSync(join(tmpdir(), 'skillshelf-api-'))
  const entries = reports()
  const entryFiles = [...entries.values()].map(({ file }) =>
    join(root, `dist/exports/${file}.d.ts`),
  )
  /** One program for each tsconfig, because most of the time goes to reading types. */
  const programs = new Map<string, CompilerState>()
  for (const [name, { file, environment }] of entries) {
    const configObject: IConfigFile = {
      projectFolder: root,
      mainEntryPointFilePath: join(root, `dist/exports/${file}.d.ts`),
      // With the DOM, types such as `Plugin` are globals.
      compiler: {
        tsconfigFilePath: join(
          root,
          `src/tsconfig.${environment === 'dom' ? 'docs' : 'node'}.json`,
        ),
      },
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
    const tsconfig = config.tsconfigFilePath
    const compilerState =
      programs.get(tsconfig) ?? CompilerState.create(config, { additionalEntryPoints: entryFiles })
    programs.set(tsconfig, compilerState)
    Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: message => {
        message.handled = true
      },
    })
  }
  rmSync(temporary, { recursive: true })
  for (const file of readdirSync(folder)) {
    if (!entries.has(file.replace(/\.api\.md$/, ''))) {
      rmSync(join(folder, file), { recursive: true })
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeManifest()
  writeReports(REPORTS)
  console.log(`${reports().size} reports in test/api`)
}
