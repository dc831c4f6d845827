export const VIRTUAL = 'virtual:skillshelf'
/** HMR event sent to pages when the packed folder changes. */
export const CHANGE_EVENT = 'skillshelf:changed'

/** The module in development. The URL is relative to the module's own, so it works in workers and under any base. */
export function devModule(path: string): string {
  return `import { openLibrary } from 'skillshelf'
// A literal in new URL() would be treated as an asset by Vite.
const path = ${JSON.stringify(`${path}/`)}
const opening = openLibrary(new URL(path, import.meta.url))
if (import.meta.hot) {
  let last = opening
  // Refreshes run one after the other: a running one may have read the library before this change.
  const refresh = () => {
    last = last
      .then(async () => (await opening).refresh())
      .catch(error => error.code === 'closed' || console.warn('[skillshelf]', error))
  }
  import.meta.hot.on(${JSON.stringify(CHANGE_EVENT)}, refresh)
  // Changes made while the connection was down are not sent again.
  import.meta.hot.on('vite:ws:connect', refresh)
}
export default await opening
`
}

/** The module in a build. `reference` identifies the emitted catalog. */
export function buildModule(reference: string): string {
  return `import { openLibrary } from 'skillshelf'
export default await openLibrary(import.meta.ROLLUP_FILE_URL_${reference})
`
}
