import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Argument } from 'commander'
import { invalidInput } from '../../../core/errors.js'
import { createKeys } from '../../../library/signed/signature.js'
import type { CommandDefinition } from '../command.js'
import { EXIT, type Io, printLines } from '../io.js'
import { displayPath, fileInfo } from '../paths.js'

export const keysCommand: CommandDefinition = (command, run) =>
  command('keys', 'Create a pair of keys to sign packed libraries with', ['keys new team'])
    .addArgument(new Argument('<action>', 'new').choices(['new']))
    .argument('<name>', 'path of the files without `.pem` and `.pub.pem`')
    .action(run(newKeys))

/** S10: a key in a folder of skills is published with them. @throws if the folder, or one above it, holds a skill or a packed library */
async function rejectLibrary(io: Io, folder: string): Promise<void> {
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const skills = inside.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
  for (const one of skills) {
    if (await holds(one, SKILL)) throw refuse(io, folder)
  }
  for (let above = folder; ; above = dirname(above)) {
    if ((await holds(above, SKILL)) || (await holds(above, LIBRARY))) throw refuse(io, above)
    if (above === dirname(above)) return
  }
}

const SKILL = /^skill\.md$/i
const LIBRARY = /^skillshelf\.json$/

async function holds(folder: string, name: RegExp): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).some(file => name.test(file))
}

function refuse(io: Io, folder: string): Error {
  return invalidInput(
    `${displayPath(io, folder)} holds skills, and a private key in it could be published with them`,
    'give a path outside, such as ../keys/team',
  )
}

async function newKeys(io: Io, _action: 'new', name: string): Promise<number> {
  const privateFile = resolve(io.cwd, `${name}.pem`)
  const publicFile = resolve(io.cwd, `${name}.pub.pem`)
  const hint = 'choose another name; a lost key cannot be restored'
  for (const file of [privateFile, publicFile]) {
    if (await fileInfo(file)) throw invalidInput(`${displayPath(io, file)} already exists`, hint)
  }
  await rejectLibrary(io, dirname(privateFile))
  const { id, privateKey, publicKey } = await createKeys()
  // `wx`: never replaces a key that another process has just written.
  await writeFile(privateFile, privateKey, { mode: 0o600, flag: 'wx' })
  await writeFile(publicFile, publicKey, { flag: 'wx' })
  printLines(
    io,
    `Created key ${id}`,
    `  ${displayPath(io, privateFile)}  private: keep it secret, and out of the repository`,
    `  ${displayPath(io, publicFile)}  public: for \`publicKeys\` of openLibrary`,
    '',
    publicKey.trimEnd().split('\n'),
  )
  return EXIT.ok
}
