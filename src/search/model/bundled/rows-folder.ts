const MODULE = /\/search\/model\/bundled\/rows-folder\.[jt]s$/
/** In a variable: a bundler that finds it would look for a file. */
const FROM_MODULE = '../../../../model/rows/'

/** Workers have no address of a module. */
const url: string | undefined = import.meta.url

/**
 * The address of `model/rows`, if this module is where the package has it. A bundler moves it, and cannot copy files that are named at run
 * time: then a message loads whole parts. `scripts/browser.ts` names the folder for pages without a bundler, `tools/vite/model-rows.ts` for
 * pages of Vite.
 */
export const ROWS_FOLDER: string | undefined =
  // Vite's development server adds a query.
  url && MODULE.test(url.replace(/\?.*/, '')) ? new URL(FROM_MODULE, url).href : undefined
