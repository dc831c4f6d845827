import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { expect, it } from 'vitest'
import { memory, openLibrary, skillStore } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'

const tester = fileURLToPath(new URL('../../node_modules/.schemathesis/bin/st', import.meta.url))
const here = existsSync(tester)

it.skipIf(!here)(
  `[BY-7] [BY-9] OpenAPI: every generated request is answered as the document says${here ? '' : ' (skipped: schemathesis is not installed)'}`,
  async () => {
    const source = memory({}, { name: 'shelf' })
    const store = skillStore(source, { keepOld: true })
    await store.install({
      'slides/SKILL.md': '---\nname: slides\ndescription: Makes slides.\ntags: [office]\n---\n\nSketch.\n',
      'slides/scripts/layout.py': 'print(1)\n',
      'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n\nBoil.\n',
    })
    const engine = { library: 'shelf', files: memory() }
    const handler = createHandler({ library: openLibrary(source), store, engine, token: 'local', files: source })
    const server = createAdaptorServer({
      fetch: request => handler.fetch(request),
      // So that our own limits answer, not the one of Node.
      serverOptions: { maxHeaderSize: 1_048_576 },
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
      const config = join(await mkdtemp(join(tmpdir(), 'skillshelf-schemathesis-')), 'schemathesis.toml')
      // A body of this operation is a file, not data of a schema, and a valid If-Match header need not hold.
      await writeFile(
        config,
        `[[operations]]
        include-path = "/v1/store/{folder}"
        checks = { positive_data_acceptance.enabled = false, negative_data_rejection.enabled = false }`,
      )
      const { stdout } = await promisify(execFile)(
        tester,
        [
          ...['--config-file', config, 'run', address, '-H', 'Authorization: Bearer local'],
          ...['--max-examples', '8', '--seed', '1'],
        ],
        { cwd: tmpdir(), env: { ...process.env, NO_COLOR: '1' } },
      ).catch((error: { stdout: string }) => error)
      const [, generated = '0'] = /(\d+) generated/.exec(stdout) ?? []
      expect(Number(generated)).toBeGreaterThan(300)
      expect(/=+ FAILURES =[\s\S]*$/.exec(stdout)?.[0] ?? '').toBe('')
    } finally {
      server.close()
    }
  },
)
