import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { executablePath, UNHURRIED } from '../launch.js'
import { cli, expectRefusal, packedDemo, temporaryFolder } from './cli-world.js'
import { startHttpServer } from './http-server.js'
import { startBrowser } from './pages.js'
import { typeOf } from './vite-world.js'

const MODULE = 'dist/browser/skillshelf.js'
/** A copy that the tests share, and leave as it is. */
const shared = join(temporaryFolder(), 'skillshelf')
const copying = cli(['copy', shared])
const copied = async (): Promise<string> => {
  expect(await copying).toMatchObject({ code: 0, err: '' })
  return shared
}
const numbers = async (folder: string) => {
  const { written, kept, removed } = (await cli(['copy', folder, '--json'])).json()
  return { written, kept, removed }
}

it('[CARD-5] copy writes the scripts and the model, and says how to use them', async () => {
  const { out } = await copying
  expect(out).toMatch(
    /^Copied skillshelf [\d.]+ into \S+skillshelf\n1,\d+ files, [\d.]+ MB: 1,\d+ written, 0 unchanged, 0 removed\n {2}scripts [\d.]+ kB, model [\d.]+ MB, rows of the model [\d.]+ MB\n/,
  )
  expect(out).toContain(`import { openLibrary } from './skillshelf/${MODULE}'`)
  expect(out).toMatch(/skillshelf pack \.\/skills --out \S+\/skills\n/)
})

it('[CARD-5] copy replaces what differs, and removes what an earlier copy wrote', async () => {
  const folder = await copied()
  const scripts = join(folder, 'dist/browser')
  // A file that differs from that of this version, and files that only an earlier one had.
  rmSync(join(folder, MODULE))
  const digest = shortDigest(digestOf(new TextEncoder().encode('old')))
  for (const name of ['old.js', 'edited.js']) {
    writeFileSync(join(scripts, name), name === 'old.js' ? 'old' : 'edited')
    appendFileSync(join(folder, '.skillshelf-copy'), `${digest} dist/browser/${name}\n`)
  }
  writeFileSync(join(folder, 'mine.txt'), 'mine')
  expect(await numbers(folder)).toMatchObject({ written: 1, removed: 1 })
  expect(await readdir(scripts)).not.toContain('old.js')
  expect(readFileSync(join(scripts, 'edited.js'), 'utf8')).toBe('edited')
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine')
  expect(await numbers(folder)).toMatchObject({ written: 0, removed: 0 })
})

it('[BY-9] copy never replaces files of others, and writes nothing then', async () => {
  const site = temporaryFolder({ 'skillshelf/dist/browser/skillshelf.js': 'mine' })
  await expectRefusal(/files of others where copy would write: dist\/browser\/skillshelf\.js\n/, [
    'copy',
    join(site, 'skillshelf'),
  ])
  expect(await readdir(join(site, 'skillshelf'), { recursive: true })).toHaveLength(3)
  // An edited file of a copy is one of the user.
  const folder = await copied()
  const license = join(folder, 'dist/browser/LICENSES.txt')
  const before = readFileSync(license)
  writeFileSync(license, 'edited')
  await expectRefusal('files of others', ['copy', folder])
  expect(readFileSync(license, 'utf8')).toBe('edited')
  writeFileSync(license, before)
})

it('[BY-9] copy writes nothing through a link out of the folder, into the package, or over a manifest of others', async () => {
  const outside = temporaryFolder()
  const folder = join(temporaryFolder(), 'skillshelf')
  await mkdir(folder)
  await symlink(outside, join(folder, 'model'))
  await expectRefusal('a link that leaves', ['copy', folder])
  expect(await readdir(outside)).toEqual([])
  await expectRefusal('is the package itself', ['copy', '.'], {
    cwd: new URL('../..', import.meta.url).pathname,
  })
  const other = temporaryFolder({ '.skillshelf-copy': '0123456789abcdef ../victim.txt\n' })
  await expectRefusal('was not written by copy', ['copy', other])
})

it.skipIf(executablePath === undefined)(
  '[CARD-5] [BY-34] a copied folder answers under a strict content security policy, with two scripts (needs a browser)',
  async () => {
    const folder = await copied()
    const skills = await packedDemo()
    const html = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>`
    const script = `import { openLibrary } from './skillshelf/${MODULE}'
const library = await openLibrary('skills/')
const { matches, complete } = await library.match('turn my notes into slides for the launch')
console.log(JSON.stringify([matches[0]?.name, complete]))`
    const own: Readonly<Record<string, string>> = { 'index.html': html, 'page.js': script }
    const { address } = await startHttpServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '').slice(1) || 'index.html'
      response.setHeader('content-type', typeOf(path))
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:",
      )
      const [, inCopy, inSkills] = /^(?:skillshelf\/(.+)|skills\/(.+))$/.exec(path) ?? []
      const file = inCopy ? join(folder, inCopy) : inSkills && join(skills, inSkills)
      response.end(file ? readFileSync(file) : own[path])
    })
    const page = await (await startBrowser()).newPage()
    await page.addInitScript(UNHURRIED)
    const problems: string[] = []
    page.on('pageerror', error => problems.push(String(error)))
    const requested: string[] = []
    page.on('request', request => requested.push(new URL(request.url()).pathname))
    const printed = page.waitForEvent('console')
    await page.goto(address)
    expect(JSON.parse((await printed).text())).toEqual(['ppt', true])
    expect(problems).toEqual([])
    const scripts = requested.filter(path => path.startsWith('/skillshelf/dist/'))
    expect(scripts).toEqual([
      `/skillshelf/${MODULE}`,
      expect.stringMatching(/\/message-language-[^/]+\.js$/),
    ])
    expect(requested.filter(path => /\/model\/[a-z]+\.bin$/.test(path))).toEqual([])
    await page.close()
  },
)
