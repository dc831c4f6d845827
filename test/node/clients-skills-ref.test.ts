import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { archive } from '../../src/exports/sources.js'
import { writeFiles } from '../folders.js'
import { cli, demo, temporaryFolder } from './cli-world.js'

/** Reference validator of the specification (PyPI skills-ref 0.1.1), installed by `.ci/run` or found on PATH. */
const validator = [
  fileURLToPath(new URL('../../node_modules/.skills-ref/bin', import.meta.url)),
  ...(process.env['PATH'] ?? '').split(delimiter),
]
  .map(folder => join(folder, 'agentskills'))
  .find(existsSync)

/** Prints the folders that `agentskills validate` accepts: one process for all of them. */
const VALIDATE = `
import pathlib, sys
from skills_ref import validate
for folder in sys.argv[1:]:
    try:
        if not validate(pathlib.Path(folder)):
            print(folder)
    except Exception:
        pass
`

async function accepted(root: string): Promise<string[]> {
  const folders = (await readdir(root, { withFileTypes: true })).filter(entry =>
    entry.isDirectory(),
  )
  // The first line of the program names the interpreter that has its packages.
  const [, python = ''] = /^#!(\S+)/.exec(await readFile(validator as string, 'utf8')) ?? []
  const paths = folders.map(({ name }) => join(root, name))
  const { stdout } = await promisify(execFile)(python, ['-c', VALIDATE, ...paths])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(path => basename(path))
    .sort()
}

/** Unpacks the well-known v0.2 artifacts of a packed library into folders of the skills' names. */
async function unpack(out: string, into: string): Promise<void> {
  const index = join(out, '.well-known/agent-skills/index.json')
  const { skills } = JSON.parse(await readFile(index, 'utf8')) as {
    skills: { name: string; type: string; url: string }[]
  }
  for (const { name, type, url } of skills) {
    const bytes = new Uint8Array(await readFile(join(dirname(index), url)))
    const put = (path: string, content: Uint8Array) =>
      writeFiles(join(into, name), { [path]: content })
    if (type === 'skill-md') {
      put('SKILL.md', bytes)
      continue
    }
    const source = archive(bytes)
    for (const { path } of (await source.list?.()) ?? []) {
      const file = await source.read(path)
      if (typeof file === 'object') put(path, file.bytes)
    }
  }
}

describe.skipIf(!validator)(
  `skills-ref, the reference validator${validator ? '' : ' (skipped: agentskills is not installed; .ci/run does)'}`,
  () => {
    let cwd: string
    beforeAll(async () => {
      cwd = temporaryFolder()
      for (const dialect of ['spec', 'openseed', 'manusx']) {
        for (const lang of ['en', 'zh'])
          await cli(
            ['new', `${dialect}-${lang}`, '--dialect', dialect, '--lang', lang, '--dir', 'new'],
            { cwd },
          )
      }
    })

    it('[OS-7] [TD-10] accepts skills of `skillshelf new`, for every dialect that follows the specification', async () => {
      const made = (await readdir(join(cwd, 'new'))).filter(name => name !== 'README.md').sort()
      expect(made).toHaveLength(6)
      expect(await accepted(join(cwd, 'new'))).toEqual(made)
    })

    it('[BY-5] [OS-7] accepts the published form of every skill that it accepts as a folder', async () => {
      await cp(demo, join(cwd, 'skills'), { recursive: true })
      for (const name of ['spec-en', 'openseed-zh'])
        await cp(join(cwd, 'new', name), join(cwd, 'skills', name), { recursive: true })
      const before = await accepted(join(cwd, 'skills'))
      expect(before.length).toBeGreaterThanOrEqual(12)
      await cli(['pack', 'skills', '--out', 'out'], { cwd })
      await unpack(join(cwd, 'out'), join(cwd, 'unpacked'))
      expect(await accepted(join(cwd, 'unpacked'))).toEqual(before)
    })
  },
)
