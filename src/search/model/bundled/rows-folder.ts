const MODULE = '/search/model/bundled/rows-folder.js'
/** In a variable: a bundler that finds it would look for a file. */
const FROM_MODULE = '../../../../model/rows/'

/** Workers have no address of a module. */
const url: string | undefined = import.meta.url

/**
 * The address of `model/rows`, if this module is where the package has it. A bundler moves it, and cannot copy files that are named at run
 * time: then a message loads whole parts. `scripts/browser.ts` names the folder for pages without a bundler.
 */
export const ROWS_FOLDER: string | undefined = url?.endsWith(MODULE)
  ? new URL(FROM_MODULE, url).href
  : undefined
