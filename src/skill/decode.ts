import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'

const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  utf16: ['warning', 'The file is encoded as UTF-16', 'save the file as UTF-8'],
  'not-utf8': [
    'error',
    'The file contains bytes that are not UTF-8; they were replaced by \uFFFD',
    'save the file as UTF-8',
  ],
  bom: [
    'info',
    'The file starts with a byte order mark',
    'save the file as UTF-8 without a byte order mark',
  ],
  'nul-bytes': [
    'warning',
    'The file contains NUL bytes; they were removed',
    'remove the NUL bytes',
  ],
})

/** The encoding that the first two bytes announce. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}

/** Decodes the bytes of a SKILL.md: UTF-8 or UTF-16, without byte order mark and NUL. Never throws. */
export function decodeText(bytes: Uint8Array): { text: string; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const encoding = encodingOf(bytes)
  let text: string
  if (encoding !== 'utf-8') {
    diagnostics.push(diagnostic('utf16', 1))
    text = new TextDecoder(encoding, { fatal: false, ignoreBOM: false }).decode(bytes)
  } else {
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
      diagnostics.push(diagnostic('not-utf8', lineAt(text, text.indexOf('\uFFFD'))))
    }
    if (text.startsWith('\uFEFF')) {
      text = text.slice(1)
      diagnostics.push(diagnostic('bom', 1))
    }
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    diagnostics.push(diagnostic('nul-bytes', lineAt(text, nul)))
    text = text.replaceAll('\0', '')
  }
  if (text.includes('\r\n')) {
    diagnostics.push({ code: 'crlf', severity: 'info', message: 'Lines end in CRLF' })
  }
  return { text, diagnostics }
}

/** Decodes bytes as text; `undefined` if they are not UTF-8 or contain NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The 1-based line of an offset. */
function lineAt(text: string, offset: number): number {
  let line = 1
  for (
    let feed = text.indexOf('\n');
    feed >= 0 && feed < offset;
    feed = text.indexOf('\n', feed + 1)
  ) {
    line++
  }
  return line
}
