/** Every code a diagnostic can carry, by where it arises. */
export type DiagnosticCode =
  // bytes
  | 'bom'
  | 'crlf'
  | 'nul-bytes'
  | 'not-utf8'
  | 'utf16'
  | 'empty-file'
  | 'too-large'
  // fences
  | 'fence-trailing-blanks'
  | 'text-before-frontmatter'
  | 'frontmatter-in-code-fence'
  | 'frontmatter-unopened'
  | 'frontmatter-unclosed'
  | 'no-frontmatter'
  // YAML
  | 'yaml-error'
  | 'yaml-unquoted-colon'
  | 'yaml-tab'
  | 'yaml-duplicate-key'
  | 'yaml-too-deep'
  | 'yaml-alias-limit'
  | 'yaml-not-a-map'
  // fields
  | 'field-type'
  | 'field-spelling'
  | 'field-duplicate'
  | 'name-inferred'
  | 'description-inferred'
  | 'name-missing'
  | 'description-missing'
  | 'name-invalid'
  | 'name-not-folder'
  | 'description-length'
  | 'compatibility-length'
  | 'metadata-not-strings'
  | 'allowed-tools-form'
  | 'unknown-field'
  | 'version-not-semver'
  | 'empty-body'
  | 'metadata-large'
  | 'instructions-large'
  // catalog
  | 'two-skill-files'
  | 'skill-disabled'
  | 'skill-left-out'
  | 'skill-unreadable'
  | 'skill-shadowed'
  | 'origin-renamed'
  | 'path-refused'
  | 'source-missing'
  | 'source-unreadable'
  | 'segment-rebuilt'
  | 'vectors-missing'
  | 'digest-mismatch'
  // publishing
  | 'published-name'
  | 'published-description'
  | 'published-partly'
  | 'published-large'
  // models
  | 'model-unavailable'

/** `error`: breaks the specification or loses something; `warning`: works, mend it; `info`: tolerated. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing that is wrong with a file, a skill or a source. Plain data. */
export interface Diagnostic {
  code: DiagnosticCode
  severity: Severity
  /** One sentence: what is wrong. */
  message: string
  /** Where: a path in the source. */
  path?: string
  /** 1-based line in that file. */
  line?: number
  /** One sentence: how to mend it. */
  hint?: string
}
