import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'
import { type FrontmatterFields, parseFields } from './yaml-document.js'
import { parseEach } from './yaml-fields.js'

/** Longest frontmatter that is read, in UTF-16 units. */
const MAX_LENGTH = 32_768
/** The name of a field with the colon of Chinese and Japanese. */
const FULL_WIDTH_KEY = /^[A-Za-z][\w-]*[ \t]*：/
const FULL_WIDTH_COLON = /^([A-Za-z][\w-]*)[ \t]*：[ \t]*/gm

const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  'yaml-tab': [
    'warning',
    'A line is indented with a tab, which YAML does not allow; it was read as two spaces',
    'indent with spaces',
  ],
  'yaml-full-width-colon': [
    'warning',
    'A field has a full-width colon, which YAML does not know; it was read as a colon and a space',
    'write a colon and a space',
  ],
})

/**
 * Parses a frontmatter. If it is not valid YAML, tabs and full-width colons are replaced, then each top-level field is parsed alone, and a
 * value that is bad is kept as text.
 */
export function readFrontmatter(
  frontmatter: string,
  line: number,
): FrontmatterFields & { diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  let text = frontmatter.replace(/\r\n?/g, '\n')
  if (text.length > MAX_LENGTH) {
    const message = `The frontmatter is longer than ${MAX_LENGTH / 1024} KB; the rest was ignored`
    diagnostics.push({
      code: 'too-large',
      severity: 'error',
      message,
      line,
      hint: 'move text into the instructions',
    })
    text = text.slice(0, MAX_LENGTH)
  }
  const whole = parseFields(text, line)
  const isRead =
    whole.fields && !Object.keys(whole.fields.values).some(key => FULL_WIDTH_KEY.test(key))
  if (whole.fields && isRead) {
    return { ...whole.fields, diagnostics: [...diagnostics, ...whole.diagnostics] }
  }

  for (const { code, find, replace } of REPLACEMENTS) {
    const index = text.split('\n').findIndex(one => find.test(one))
    if (index < 0) continue
    diagnostics.push(diagnostic(code, line + index))
    text = replace(text)
    const replaced = parseFields(text, line)
    if (replaced.fields) {
      return { ...replaced.fields, diagnostics: [...diagnostics, ...replaced.diagnostics] }
    }
  }
  const recovered = parseEach(text, line, whole.diagnostics)
  return { ...recovered, diagnostics: [...diagnostics, ...recovered.diagnostics] }
}

/** What authors write in place of what YAML asks for, in the order in which it is replaced. */
const REPLACEMENTS = [
  {
    code: 'yaml-tab',
    find: /^ *\t/,
    replace: (text: string) => text.replace(/^[ \t]+/gm, indent => indent.replaceAll('\t', '  ')),
  },
  {
    code: 'yaml-full-width-colon',
    find: FULL_WIDTH_KEY,
    replace: (text: string) => text.replace(FULL_WIDTH_COLON, '$1: '),
  },
] as const
