import { lookup } from 'mrmime'
import type { FileInfo, FileKind, SkillFileInfo } from './types.js'

/** Source code that a host could run, by extension. We never do. */
const SCRIPTS =
  /\.(?:py|sh|bash|zsh|fish|ps1|bat|cmd|js|mjs|cjs|ts|mts|tsx|jsx|rb|pl|php|lua|r|jl|go|rs|java|kt|swift|sql|awk|applescript)$/i
const TEXTS =
  /\.(?:md|markdown|mdx|txt|rst|adoc|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|html?|css|scss|tex|bib|log|diff|patch|properties|j2|tmpl|hbs|prompt|gitignore|ipynb)$/i
const IMAGES = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg|tiff?)$/i

/** A file's kind, by its name. */
export function fileKind(path: string): FileKind {
  if (SCRIPTS.test(path)) return 'script'
  if (IMAGES.test(path)) return 'image'
  if (TEXTS.test(path) || /(?:^|\/)(?:license|notice|readme|makefile|dockerfile)$/i.test(path)) return 'text'
  return 'binary'
}

/** A file's media type, by its name; text that has none of its own is `text/plain`. Never one that a browser would run as a script or a page. */
export function mediaType(path: string): string {
  const kind = fileKind(path)
  if (kind === 'script' || /\.x?html?$/i.test(path)) return 'text/plain'
  return lookup(path) ?? (kind === 'text' ? 'text/plain' : 'application/octet-stream')
}

/** A file as a skill lists it. */
export function describeFile(file: FileInfo): SkillFileInfo {
  return { ...file, kind: fileKind(file.path), mediaType: mediaType(file.path) }
}
