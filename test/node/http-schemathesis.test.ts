import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { skillStore } from '../../src/exports/store.js'
import { temporaryFolder } from '../folders.js'
import { isInShare } from '../samples.js'
import { startFetchServer } from './http-server.js'

const tester = fileURLToPath(new URL('../../node_modules/.schemathesis/bin/st', import.meta.url))
const here = existsSync(tester)

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string }>>
}

/** The operations to try: a third, chosen by a hash, and the only one that deletes. All with `TEST_EVERYTHING`. */
function chosen({ paths }: OpenApi): string[] {
  return Object.values(paths)
    .flatMap(path => Object.entries(path))
    .filter(
      ([method, { operationId }]) => method === 'delete' || isInShare(`share ${operationId}`, 3),
    )
    .map(([, { operationId }]) => operationId)
}

it.skipIf(!here)(
  '[BY-7] [BY-9] OpenAPI: generated requests are answered as it says (needs schemathesis)',
  async () => {
    const source = memory({}, { name: 'shelf' })
    const store = skillStore(source, { keepOld: true })
    await store.install({
      'slides/SKILL.md':
        '---\nname: slides\ndescription: Makes slides.\ntags: [office]\n---\n\nSketch.\n',
      'slides/scripts/layout.py': 'print(1)\n',
      'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n\nBoil.\n',
    })
    const engine = { library: 'shelf', files: memory() }
    const handler = createHandler({
      library: openLibrary(source),
      store,
      engine,
      token: 'local',
      files: source,
    })
    const { address } = await startFetchServer(request => handler.fetch(request))
    // A body of this operation is a file, not data of a schema, and a valid If-Match header need not hold.
    const config = `[[operations]]
      include-path = "/v1/store/{folder}"
      checks = { positive_data_acceptance.enabled = false, negative_data_rejection.enabled = false }`
    const cwd = temporaryFolder({ 'schemathesis.toml': config })
    const described = await fetch(`${address}openapi.json`)
    const operations = chosen((await described.json()) as OpenApi)
    const { stdout } = await promisify(execFile)(
      tester,
      [
        ...[
          '--config-file',
          'schemathesis.toml',
          'run',
          `${address}openapi.json`,
          '-H',
          'Authorization: Bearer local',
        ],
        ...['--max-examples', '8', '--seed', '1'],
        ...operations.flatMap(name => ['--include-operation-id', name]),
      ],
      { cwd, env: { ...process.env, NO_COLOR: '1' } },
    ).catch((error: { stdout: string }) => error)
    const [, generated = '0'] = /(\d+) generated/.exec(stdout) ?? []
    expect(Number(generated)).toBeGreaterThan(300)
    expect(/=+ FAILURES =[\s\S]*$/.exec(stdout)?.[0] ?? '').toBe('')
  },
)
