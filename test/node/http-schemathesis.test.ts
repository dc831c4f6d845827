import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { expect, it } from 'vitest'
import { memory, openLibrary, skillStore } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'

const tester = fileURLToPath(new URL('../../node_modules/.schemathesis/bin/st', import.meta.url))
const here = existsSync(tester)

it.skipIf(!here)(
  `[BY-7] [BY-9] OpenAPI: no generated request, valid or not, causes a server error${here ? '' : ' (skipped: schemathesis is not installed)'}`,
  async () => {
    const source = memory({}, { name: 'shelf' })
    const store = skillStore(source, { keepOld: true })
    await store.install({
      'slides/SKILL.md': '---\nname: slides\ndescription: Makes slides.\ntags: [office]\n---\n\nSketch.\n',
      'slides/scripts/layout.py': 'print(1)\n',
      'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n\nBoil.\n',
    })
    const handler = createHandler({ library: openLibrary(source), store, token: 'local', files: source })
    const server = createAdaptorServer({ fetch: request => handler.fetch(request) })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
      const flags = ['--checks', 'not_a_server_error,response_schema_conformance,content_type_conformance']
      const { stdout } = await promisify(execFile)(
        tester,
        ['run', address, '-H', 'Authorization: Bearer local', '--max-examples', '8', '--seed', '1', ...flags],
        { cwd: tmpdir(), env: { ...process.env, NO_COLOR: '1' } },
      ).catch((error: { stdout: string }) => error)
      const [, generated = '0'] = /(\d+) generated/.exec(stdout) ?? []
      expect(Number(generated)).toBeGreaterThan(300)
      expect(/Failures:[\s\S]*$/.exec(stdout)?.[0] ?? '').toBe('')
    } finally {
      server.close()
    }
  },
)
