import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Argument } from 'commander'
import { invalidInput } from '../../core/errors.js'
import { createKeys } from '../../library/signed/signature.js'
import type { CommandDefinition } from './command.js'
import { EXIT, type Io, printLines } from './io.js'
import { displayPath, fileInfo } from './paths.js'

export const keysCommand: CommandDefinition = (command, run) =>
  command('keys', 'Create a pair of keys to sign packed libraries with', ['keys new team'])
    .addArgument(new Argument('<action>', 'new').choices(['new']))
    .argument('<name>', 'path of the files without `.pem` and `.pub.pem`')
    .action(run(newKeys))

async function newKeys(io: Io, _action: 'new', name: string): Promise<number> {
  const privateFile = resolve(io.cwd, `${name}.pem`)
  const publicFile = resolve(io.cwd, `${name}.pub.pem`)
  const hint = 'choose another name; a lost key cannot be restored'
  for (const file of [privateFile, publicFile])
    if (await fileInfo(file)) throw invalidInput(`${displayPath(io, file)} already exists`, hint)
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
