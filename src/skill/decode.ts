import type { Diagnostic } from './diagnostics.js'

/** The bytes of a SKILL.md as text: without BOM and NUL, with what was odd about them. Never throws. */
export function decodeText(bytes: Uint8Array): { text: string; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  let text: string
  if (encoding !== 'utf-8') {
    diagnostics.push({
      code: 'utf16',
      severity: 'warning',
      message: 'The file is UTF-16',
      line: 1,
      hint: 'save it as UTF-8',
    })
    text = new TextDecoder(encoding, { fatal: false, ignoreBOM: false }).decode(bytes)
  } else {
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
      diagnostics.push({
        code: 'not-utf8',
        severity: 'error',
        message: 'Some bytes are not UTF-8; they were replaced by \uFFFD',
        line: lineOf(text, text.indexOf('\uFFFD')),
        hint: 'save the file as UTF-8',
      })
    }
    if (text.startsWith('\uFEFF')) {
      text = text.slice(1)
      diagnostics.push({
        code: 'bom',
        severity: 'info',
        message: 'The file starts with a byte order mark',
        line: 1,
        hint: 'save it as UTF-8 without BOM',
      })
    }
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    diagnostics.push({
      code: 'nul-bytes',
      severity: 'warning',
      message: 'The file has NUL bytes; they were left out',
      line: lineOf(text, nul),
    })
    text = text.replaceAll('\0', '')
  }
  if (text.includes('\r\n')) diagnostics.push({ code: 'crlf', severity: 'info', message: 'The lines end in CRLF' })
  return { text, diagnostics }
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** Bytes as text, where they are UTF-8 without NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
