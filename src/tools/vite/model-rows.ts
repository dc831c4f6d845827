import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** The module of skillshelf that names the folder with the rows of the bundled model. */
const MODULE = /[/]search[/]model[/]bundled[/]rows-folder\.[jt]s$/
const ROWS = new URL('../../../model/rows/', import.meta.url)
/** Beside the other assets of the page. */
const FOLDER = 'skillshelf-model-rows'

/** The part of a Rollup plugin context that emits the rows. */
interface RowsContext {
  environment: { config: { consumer: string; build: { assetsDir: string } } }
  emitFile(file: { type: 'asset'; fileName: string; source: Uint8Array }): string
}

/**
 * Copies the rows of the bundled model beside a built page, so that a message fetches those of its words instead of whole parts. In
 * development they are beside their module.
 * @returns The module that names their folder; `undefined` for other modules.
 */
export function loadModelRows(id: string, context: RowsContext): string | undefined {
  const { consumer } = context.environment.config
  if (!MODULE.test(id) || consumer !== 'client') return undefined
  return `export const ROWS_FOLDER = ${emitModelRows(context)}`
}

/** Emits the rows, and returns an expression for the address of their folder. */
export function emitModelRows(context: RowsContext): string {
  const { assetsDir } = context.environment.config.build
  const [reference] = readdirSync(ROWS).map(name =>
    context.emitFile({
      type: 'asset',
      fileName: posix.join(assetsDir, FOLDER, name),
      source: readFileSync(new URL(name, ROWS)),
    }),
  )
  // Vite makes it an address, or a path for a base that is one.
  return `new URL('.', new URL(import.meta.ROLLUP_FILE_URL_${reference}, import.meta.url)).href`
}
