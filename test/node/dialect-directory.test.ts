import { join } from 'node:path'
import { expect, it } from 'vitest'
import { manusX } from '../../src/exports/dialects.js'
import { openLibrary } from '../../src/exports/index.js'
import { callTool, createSession } from '../../src/exports/session.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'

const FILES = {
  'pdf tools/SKILL.md':
    '---\nname: pdf-tools\ndescription: Reads PDF files\n---\nRun the script.\n',
  'pdf tools/scripts/tables.py': 'print("tables")\n',
  'secret.txt': 'not of a skill',
}

it('[MX-6] ManusX reads absolute paths, only inside skills', async () => {
  const root = temporaryFolder(FILES)
  await using library = await openLibrary(directory(root))
  const one = createSession(library, { dialect: manusX })
  const read = async (file: string) => callTool(one, 'file_read', { file })
  const content = 'print("tables")\n'
  // No skill was requested yet.
  expect((await read(join(root, 'pdf tools/scripts/tables.py'))).text).toBe(content)
  await callTool(one, 'skill_request', { skill_name: 'pdf-tools' })
  expect((await read(join(root, 'pdf tools/scripts/tables.py'))).text).toBe(content)
  expect((await read('scripts/tables.py')).text).toBe(content)
  for (const path of [
    join(root, 'secret.txt'),
    `${root}/pdf tools/../secret.txt`,
    `${root}/pdf tools/%2e%2e/secret.txt`,
    `${root}/pdf tools-of-another/scripts/tables.py`,
    '/etc/passwd',
  ])
    expect(await read(path)).toMatchObject({ isError: true, data: { success: false } })
})
