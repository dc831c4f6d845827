export const VIRTUAL = 'virtual:skillshelf'
/** Sent to pages when the packed folder has changed. */
export const CHANGED = 'skillshelf:changed'

/** In development. Addresses start from the module's own, so they are right in a worker and under any base. */
export function servedModule(path: string): string {
  return `import { openLibrary } from 'skillshelf'
// In a variable: written out, Vite would take it for a file to serve.
const path = ${JSON.stringify(`${path}/`)}
const opening = openLibrary(new URL(path, import.meta.url))
if (import.meta.hot) {
  let last = opening
  // One after the other: a refresh that is under way may have read the library before this change.
  const refresh = () => {
    last = last
      .then(async () => (await opening).refresh())
      .catch(error => error.code === 'closed' || console.warn('[skillshelf]', error))
  }
  import.meta.hot.on(${JSON.stringify(CHANGED)}, refresh)
  // What changed while there was no connection was not heard of.
  import.meta.hot.on('vite:ws:connect', refresh)
}
export default await opening
`
}

/** In a build: `reference` is that of the emitted catalog. */
export function builtModule(reference: string): string {
  return `import { openLibrary } from 'skillshelf'
export default await openLibrary(import.meta.ROLLUP_FILE_URL_${reference})
`
}
