import { errorMessage } from '../core/errors.js'
import { isRecord } from '../core/plain-data.js'
import { plainLine } from '../core/sanitize.js'

/** Codes of diagnostics, grouped by what they are about. */
export type DiagnosticCode =
  // Encoding
  /** The file starts with a byte order mark. */
  | 'bom'
  /** Lines end in CRLF. */
  | 'crlf'
  /** The file contains NUL bytes. */
  | 'nul-bytes'
  /** The file contains bytes that are not UTF-8. */
  | 'not-utf8'
  /** The file is encoded as UTF-16. */
  | 'utf16'
  /** The file is empty. */
  | 'empty-file'
  /** The file or its frontmatter is very large. */
  | 'too-large'
  // Fences
  /** A fence is not exactly `---`. */
  | 'fence-trailing-blanks'
  /** The frontmatter is between lines such as `+++`, `***` or `---yaml`. */
  | 'frontmatter-fence'
  /** Text precedes the frontmatter. */
  | 'text-before-frontmatter'
  /** The frontmatter is inside a code block. */
  | 'frontmatter-in-code-fence'
  /** The opening `---` is missing. */
  | 'frontmatter-unopened'
  /** The closing `---` is missing. */
  | 'frontmatter-unclosed'
  /** The file has no frontmatter. */
  | 'no-frontmatter'
  // YAML
  /** The frontmatter or one of its fields is not valid YAML. */
  | 'yaml-error'
  /** A value contains a colon and is not quoted. */
  | 'yaml-unquoted-colon'
  /** A line is indented with a tab. */
  | 'yaml-tab'
  /** A field has a full-width colon. */
  | 'yaml-full-width-colon'
  /** Text of a value is a comment in YAML. */
  | 'yaml-comment'
  /** A value begins with a word that is a tag or an anchor in YAML. */
  | 'yaml-tag'
  /** A field is given twice. */
  | 'yaml-duplicate-key'
  /** The frontmatter is nested too deeply. */
  | 'yaml-too-deep'
  /** The frontmatter uses too many, unknown or recursive aliases. */
  | 'yaml-alias-limit'
  /** The frontmatter is not a set of fields. */
  | 'yaml-not-a-map'
  // Fields
  /** A value has the wrong type. */
  | 'field-type'
  /** A field is given in two spellings. */
  | 'field-duplicate'
  /** Messages beyond the limits were ignored, or `messages.txt` cannot be read. */
  | 'messages-ignored'
  /** The name is missing; the folder or the first heading is used. */
  | 'name-inferred'
  /** The description is missing; the first paragraph is used. */
  | 'description-inferred'
  /** The name is missing. */
  | 'name-missing'
  /** The description is missing. */
  | 'description-missing'
  /** The name breaks the specification. */
  | 'name-invalid'
  /** The name differs from the folder name. */
  | 'name-not-folder'
  /** The description is longer than 1,024 characters. */
  | 'description-length'
  /** `compatibility` is empty or longer than 500 characters. */
  | 'compatibility-length'
  /** `metadata` does not map strings to strings. */
  | 'metadata-not-strings'
  /** `allowed-tools` is not one string. */
  | 'allowed-tools-form'
  /** The agent system of `validate --dialect` requires the field. */
  | 'field-required'
  /** The name of the field is another spelling of a known field, or similar to it. */
  | 'field-misspelled'
  /** The specification does not define the field. */
  | 'unknown-field'
  /** `version` is not two or three numbers. */
  | 'version-not-semver'
  /** The file has no instructions. */
  | 'empty-body'
  /** The file stands for another one: a Git LFS pointer, or the text of a link. */
  | 'file-not-there'
  /** The name and description take more than 100 tokens. */
  | 'metadata-large'
  /** The instructions take more than 5,000 tokens. */
  | 'instructions-large'
  // Authoring, reported by `skillshelf validate`
  /** A link in the instructions names a file that does not exist. */
  | 'link-broken'
  /** Text of a template was not replaced. */
  | 'placeholder-text'
  /** Two skills of a folder have the same name. */
  | 'name-duplicate'
  /** A skill differs little from another one of the same name. */
  | 'skill-near-copy'
  /** Two skills claim the same trigger. */
  | 'trigger-conflict'
  /** A skill requires one that is not in the library. */
  | 'required-missing'
  /** Skills require each other in a circle. */
  | 'required-circle'
  // Catalog
  /** A folder has both `SKILL.md` and `skill.md`. */
  | 'two-skill-files'
  /** The skill is disabled. */
  | 'skill-disabled'
  /** The skill cannot be used and is not listed. */
  | 'skill-left-out'
  /** A file of the skill cannot be read. */
  | 'skill-unreadable'
  /** A skill of the same name in an earlier source takes precedence. */
  | 'skill-shadowed'
  /** The skill is in several folders, with the same files. It is listed once. */
  | 'skill-copy'
  /** The names of two skills differ only by invisible characters or Unicode compatibility forms. */
  | 'name-confusable'
  /** The origin of a source was renamed to keep ids unique. */
  | 'origin-renamed'
  /** A path of the source is not safe. */
  | 'path-refused'
  /** The skill is internal, and is not published. */
  | 'skill-internal'
  /** A file looks like a secret, and is not served. */
  | 'secret-left-out'
  /** Nothing exists at the address of the source. */
  | 'source-missing'
  /** The source cannot be read. */
  | 'source-unreadable'
  /** A refresh found a library that is not signed as it must be. It keeps its last skills. */
  | 'source-untrusted'
  /** A piece of a library cannot be read, so the library was read whole. */
  | 'pieces-unreadable'
  /** The offline copy of a source cannot be stored, and is in memory. */
  | 'copy-not-stored'
  /** A library has no skill. */
  | 'library-empty'
  /** No source has skills in this environment. */
  | 'environment-unknown'
  /** A segment was written by another version and was rebuilt. */
  | 'segment-rebuilt'
  /** A segment has no vectors for the embedder. */
  | 'vectors-missing'
  /** Packed vectors of a transformer cannot be used. The skills are embedded where the library is open. */
  | 'vectors-ignored'
  // Publishing
  /** The skill is published under another name. */
  | 'published-name'
  /** The published description was shortened or inferred. */
  | 'published-description'
  /** Some clients cannot install the published skill. */
  | 'published-partly'
  /** The published skill exceeds the limits of some clients. */
  | 'published-large'
  /** The Skills extension of MCP leaves the skill out. */
  | 'mcp-left-out'
  // Models
  /** A model wrote no usable messages for the skill. */
  | 'messages-not-written'
  /** A model failed to load. */
  | 'model-unavailable'
  // Learning
  /** Learned messages could not be read. */
  | 'learned-unreadable'

/** `error`: data was lost, or a violation in strict mode. `warning`: the skill works but should be fixed. `info`: harmless. */
export type Severity = 'error' | 'warning' | 'info'

/** A problem of a file, skill or source, as plain data. */
export interface Diagnostic {
  code: DiagnosticCode
  severity: Severity
  /** The problem, in one sentence. */
  message: string
  /** Path of the file in its source, or id of the skill. */
  path?: string
  /** 1-based line in the file. */
  line?: number
  /** How to fix it, in one sentence. */
  hint?: string
}

/** Creates the diagnostics of a file whose texts do not vary: severity, message and hint by code. */
export function fixedDiagnostics<Code extends DiagnosticCode>(
  texts: Readonly<Record<Code, readonly [severity: Severity, message: string, hint: string]>>,
): (code: Code, line?: number) => Diagnostic {
  return (code, line) => {
    const [severity, message, hint] = texts[code]
    return { code, severity, message, ...(line === undefined ? {} : { line }), hint }
  }
}

/** Keeps the well-formed diagnostics of a file. */
export function readDiagnostics(value: unknown): Diagnostic[] {
  return Array.isArray(value)
    ? value.filter(
        one =>
          isRecord(one) &&
          typeof one['code'] === 'string' &&
          typeof one['message'] === 'string' &&
          ['error', 'warning', 'info'].includes(String(one['severity'])) &&
          ['undefined', 'string'].includes(typeof one['path']),
      )
    : []
}

/** Prints a line once for as long as it persists, at most `limit` per call. `command` prints all. */
export function createDiagnosticPrinter(
  print: (line: string) => void,
  limit: number,
  command: string,
): (lines: readonly string[]) => void {
  let printed: ReadonlySet<string> = new Set()
  return lines => {
    const current = new Set(lines)
    const added = [...current].filter(line => !printed.has(line))
    printed = current
    for (const line of added.slice(0, limit)) print(plainLine(line))
    if (added.length > limit) print(`… and ${added.length - limit} more: ${command}`)
  }
}

/** Reports a model that the library works without. @param model Starts the message: `The bundled model`. */
export function modelDiagnostic(error: unknown, model: string): Diagnostic {
  const message = `${model} is unavailable: ${errorMessage(error)}`
  return {
    code: 'model-unavailable',
    severity: 'warning',
    message,
    hint: 'matching works without it',
  }
}
