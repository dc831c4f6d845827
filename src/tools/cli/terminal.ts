/**
 * Everything that a command prints goes through `shownOutput`, so no text of a skill, file, server or setting reaches a terminal as a
 * control sequence. Colors are the only sequences that do: they are written as a mark that no other text can hold, and the mark becomes
 * the sequence last.
 */
import { randomUUID } from 'node:crypto'
import pico from 'picocolors'
import { showHiddenKeepingLines } from '../../core/sanitize.js'

const ESCAPE = '\u001b'
/** Stands for `ESCAPE` in a color. Another one in each process, so that no text knows it. */
const MARK = `\ue000${randomUUID()}`

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow'] as const
export type Colors = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>

interface Terminal {
  isTTY: boolean
  env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Colors for a terminal, or where `FORCE_COLOR` is set. Plain text for pipes and where `NO_COLOR` is set. */
export function colorsFor({ isTTY, env = {} }: Terminal): Colors {
  const force = env['FORCE_COLOR']
  const wanted =
    force === undefined || force === ''
      ? isTTY && env['TERM'] !== 'dumb'
      : !/^(?:0|false)$/i.test(force)
  const colors = pico.createColors(wanted && !env['NO_COLOR'])
  const paint = (style: (typeof STYLES)[number]) => (text: string) =>
    colors[style](shown(text)).replaceAll(ESCAPE, MARK)
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
  }
}

type Write = (text: string) => void

interface Output {
  stdout: Write
  stderr: Write
}

/** The output of a command as a terminal may get it. S5: only colors are control sequences. */
export function shownOutput<T extends Output>(io: T): T & { unchanged: Write } {
  const through =
    (write: Write): Write =>
    text =>
      write(text.split(MARK).map(shown).join(ESCAPE))
  return { ...io, stdout: through(io.stdout), stderr: through(io.stderr), unchanged: io.stdout }
}

/** One row of a terminal: line breaks in it are shown as other hidden characters are. */
export function terminalRow(text: string): string {
  return text.replace(/[\r\n]/g, one => (one === '\n' ? '[U+000A]' : '[U+000D]'))
}

/** A carriage return would write over its line: only those of line ends are line ends. */
function shown(text: string): string {
  return showHiddenKeepingLines(text.replaceAll('\r\n', '\n'))
}
