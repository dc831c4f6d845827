import { lookup } from 'mrmime'
import type { FileInfo, FileKind, SkillFileInfo } from './skill.js'

/** Extensions of source code. This library never runs it. */
const SCRIPTS =
  /\.(?:py|sh|bash|zsh|fish|ps1|bat|cmd|js|mjs|cjs|ts|mts|tsx|jsx|rb|pl|php|lua|r|jl|go|rs|java|kt|swift|sql|awk|applescript)$/i
const TEXTS =
  /\.(?:md|markdown|mdx|txt|rst|adoc|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|html?|css|scss|tex|bib|log|diff|patch|properties|j2|tmpl|hbs|prompt|gitignore|ipynb)$/i
const IMAGES = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg|tiff?)$/i

/** Types that a browser runs or parses as a document with scripts. */
const ACTIVE_TYPE = /^text\/html$|[/+]xml\b|script$/
const SVG = 'image/svg+xml'
/** The type by extension. The table of `mrmime` has the members of `Object.prototype` too, for files such as `constructor`. */
function lookupType(path: string): string | undefined {
  const type: unknown = lookup(path)
  return typeof type === 'string' ? type : undefined
}

function fileKind(path: string): FileKind {
  if (SCRIPTS.test(path)) return 'script'
  if (IMAGES.test(path)) return 'image'
  if (TEXTS.test(path) || /(?:^|\/)(?:license|notice|readme|makefile|dockerfile)$/i.test(path)) {
    return 'text'
  }
  return 'binary'
}

/** The media type, by name. Scripts, HTML and XML are `text/plain`, so that no browser runs them. SVG needs a sandbox policy. */
export function mediaType(path: string): string {
  const kind = fileKind(path)
  const type = lookupType(path) ?? (kind === 'text' ? 'text/plain' : 'application/octet-stream')
  const isActive = kind === 'script' || ACTIVE_TYPE.test(type) || /\.[sx]?html?$/i.test(path)
  return isActive && type !== SVG ? 'text/plain' : type
}

/** The `Content-Type` of a file on a host that sends no sandbox policy: SVG is plain text too. */
export function inertContentType(path: string): string {
  const type = mediaType(path)
  const inert = type === SVG ? 'text/plain' : type
  return inert.startsWith('text/') ? `${inert}; charset=utf-8` : inert
}

export function describeFile(file: FileInfo): SkillFileInfo {
  return { ...file, kind: fileKind(file.path), mediaType: mediaType(file.path) }
}
