import { expect, it, onTestFinished } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { startHttpServer } from './http-server.js'

/** Addresses where no library is, on a real host. */

const MINE = { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' }

/** A host that answers every path in one way. */
async function host(status: number, type: string, body: string): Promise<string> {
  const server = await startHttpServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  onTestFinished(() => server.stop())
  return server.address
}
const missing = () => host(404, 'text/plain', 'Not found')
const page = () => host(200, 'text/html', '<!doctype html><title>Home</title>')
const text = () => host(200, 'application/json', '{"a": "b"}')
const gone = async () => {
  const server = await startHttpServer((_, response) => void response.end())
  await server.stop()
  return server.address
}

it.each<[what: string, address: () => Promise<string>, path: string, code: string]>([
  ['of a folder that is not there', missing, 'skills/', 'source-not-found'],
  ['of a file that is not there', missing, 'skills.zip', 'source-not-found'],
  ['of a page', page, 'about', 'source-not-found'],
  ['of the start page of a host', page, '', 'source-not-found'],
  ['of a page instead of an archive', page, 'skills.zip', 'source-not-found'],
  ['of a file that is no library', text, 'notes.json', 'format'],
  ['of a host that is not there', gone, 'skills/', 'source-failed'],
])('[CARD-1] an address %s is an error with a hint', async (_, address, path, code) => {
  const at = `${await address()}${path}`
  for (const input of [at, new URL(at), [at], [at, new URL('more/', at)]]) {
    await expect(openLibrary(input, { timeout: 5_000 })).rejects.toMatchObject({
      code,
      details: { hint: expect.any(String) },
    })
  }
})

it('[CARD-1] an address that is not there hides no other layer', async () => {
  const warnings: string[] = []
  await using library = await openLibrary([MINE, await missing()], {
    onDiagnostic: ({ code }) => warnings.push(code),
  })
  expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['tea'])
  expect(warnings).toEqual(['source-missing'])
})
