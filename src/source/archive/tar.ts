import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar'
import { SkillshelfError } from '../../core/errors.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type { Entries } from './entries.js'
import { asBroken, broken } from './error.js'
import { concat, hasTarMark, peek } from './kind.js'
import type { Meter } from './limits.js'
import { type TarLetter, tarLetters } from './tar-letters.js'

/**
 * Reads a tar as it comes in: ustar, GNU long names, PAX paths. Of two entries with one name the later one counts.
 * @throws SkillshelfError `format`, `unsupported` (sparse files), `too-large`
 */
export async function readTar(tar: AsyncIterable<Uint8Array>, entries: Entries, meter: Meter): Promise<void> {
  const { start, pieces } = await peek(tar, 512)
  const letters = tarLetters()
  const decoder = createTarDecoder({ strict: true })
  const reader = decoder.readable.getReader()
  const writer = decoder.writable.getWriter()
  // Rejects as well once the writable is aborted, which is no news.
  writer.closed.catch(() => undefined)
  let failure: unknown
  const feeding = (async () => {
    for await (const piece of pieces) {
      letters.push(piece)
      await writer.write(piece)
    }
    await writer.close()
  })().catch(error => {
    failure ??= error
    void writer.abort(error).catch(() => undefined)
  })
  let read = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await readEntry(next.value, letters.next(), entries, meter)
      read++
    }
    await feeding
    if (failure !== undefined) throw failure
  } catch (error) {
    failure ??= error
    void writer.abort(failure).catch(() => undefined)
    void reader.cancel(failure).catch(() => undefined)
    rethrowCallbackError(failure)
    if (read === 0 && !hasTarMark(start) && !(failure instanceof SkillshelfError))
      throw broken('This is no archive: neither a zip nor a tar, plain or in gzip', 'give a zip or a tar.gz')
    throw asBroken(failure)
  }
}

const NO_FILES: Readonly<Record<string, string>> = {
  symlink: 'it is a link',
  link: 'it is a hard link',
  'character-device': 'it is a device',
  'block-device': 'it is a device',
  fifo: 'it is a pipe',
}
/** A file, in the spelling of today, of 1979, and of those who want its blocks side by side. */
const FILE = new Set(['0', '\0', '7'])

async function readEntry(
  { header, body }: ParsedTarEntry,
  letter: TarLetter | undefined,
  entries: Entries,
  meter: Meter,
): Promise<void> {
  checkHeader(header, letter)
  const { name, type = 'file' } = header
  if (type !== 'file') {
    await body.cancel()
    if (type === 'directory') entries.folder()
    else entries.refuse(name, NO_FILES[type] ?? 'it is no file')
    return
  }
  if (letter && !FILE.has(letter.letter)) {
    await body.cancel()
    entries.refuse(name, `it is of the kind ${JSON.stringify(letter.letter)}, which is no file`)
    return
  }
  const path = entries.admit(name)
  if (path === undefined) {
    await body.cancel()
    return
  }
  meter.file(path, header.size)
  const parts: Uint8Array[] = []
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
  entries.put(path, concat(parts))
}

/** What would be read wrongly without a word. */
function checkHeader({ name, size, type, pax = {} }: TarHeader, letter: TarLetter | undefined): void {
  if (letter?.letter === 'S' || Object.keys(pax).some(key => key.startsWith('GNU.sparse.')))
    throw new SkillshelfError('unsupported', `${name} in the archive is a sparse file`, {
      hint: 'make the archive without tar --sparse, or as a zip',
    })
  const other = pax['size'] === undefined ? size : Number(pax['size'])
  // Readers that believe the one and those that believe the other see different files.
  if (!letter || other !== size || (type === 'file' && size !== letter.size))
    throw broken(`The archive is broken: ${name} has two sizes`)
}
