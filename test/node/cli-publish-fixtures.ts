import { afterEach } from 'vitest'
import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import { type StoreOptions, skillStore } from '../../src/exports/store.js'
import { createHandler } from '../../src/server/http/handler.js'
import type { ServedLibrary } from '../../src/server/http/served-library.js'
import type { WritableSource } from '../../src/source/source.js'
import { cli, type Ran } from './cli-world.js'
import { startFetchServer } from './http-server.js'

export const TOKEN = 'a-token'

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

type Intercept = (request: Request, asked: string) => Promise<Response | undefined>

/** Starts a writable server on a local port. */
export async function startPublishServer(
  more: Partial<ServedLibrary> = {},
  place: WritableSource = memory({}, { name: 'store' }),
  options: StoreOptions = {},
) {
  const store = skillStore(place, options)
  const library = await openLibrary(store)
  ending.push(() => library.close())
  const handler = createHandler({ library, store, token: TOKEN, files: store, ...more })
  const requests: string[] = []
  const running = {
    address: '',
    library,
    /** Returns the requests since the last call, such as `POST v1/store`. */
    takeRequests: () => requests.splice(0),
    /** Answers a request before the server does, unless it returns `undefined`. */
    intercept: undefined as Intercept | undefined,
    publish: (
      cwd: string,
      argv: readonly string[] = [],
      world: Parameters<typeof cli>[1] = {},
    ): Promise<Ran> =>
      cli(['publish', '--to', running.address, ...argv], {
        cwd,
        env: { SKILLSHELF_TOKEN: TOKEN },
        ...world,
      }),
  }
  const { address } = await startFetchServer(async request => {
    const asked = `${request.method} ${decodeURIComponent(new URL(request.url).pathname.slice(1))}`
    requests.push(asked)
    return (await running.intercept?.(request, asked)) ?? handler.fetch(request)
  })
  return Object.assign(running, { address })
}

/** Temporary error that may be retried at once. */
export const busy = (status = 503): Response =>
  new Response('busy', { status, headers: { 'retry-after': '0' } })

/** Creates small skills. */
export function manySkills(count: number): Record<string, string> {
  const made: Record<string, string> = {}
  for (let number = 0; number < count; number++) {
    const name = `skill-${String(number).padStart(3, '0')}`
    made[`skills/${name}/SKILL.md`] =
      `---\nname: ${name}\ndescription: Handles case ${number}.\n---\n\nBody ${number}.\n`
    made[`skills/${name}/notes/${number}.md`] = `Notes on ${number}.\n`
  }
  return made
}

/** Opens every skill and reads all its files. Throws if a file is missing. */
export async function wholeSkills(library: LocalLibrary): Promise<string[]> {
  const all = await library.list()
  for (const { id } of all) {
    const { files } = await library.get(id)
    for (const { path } of files) await library.read(id, path)
  }
  return all.map(({ path }) => path)
}
