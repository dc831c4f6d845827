import { Option } from 'commander'
import { plainLine } from '../../core/sanitize.js'
import { packages } from '../../source/packages/packages.js'
import type { ListableSource } from '../../source/source.js'
import { collect } from './command.js'
import { type Io, printErrors } from './io.js'

/** The option `--packages` of commands that read a folder. A new object for each: commander keeps values in it. */
export function packagesOption(): Option {
  return new Option(
    '--packages <name>',
    'also skills of this installed npm package: a name, @scope/*, name#skill, or * for every one (repeatable)',
  ).argParser(collect)
}

/** The skills of packages that are installed in or above the current folder. */
export function packageSource(io: Io, allow: readonly string[]): ListableSource {
  return packages({
    allow,
    cwd: io.cwd,
    onWarning: message => printErrors(io, `skillshelf: ${plainLine(message)}`),
  })
}
