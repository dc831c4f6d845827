import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { basename, trySafePath } from '../../core/paths.js'
import { isRecord } from '../../core/plain-data.js'
import { decodeText } from '../../skill/decode.js'
import { detectFormat, hasUstarMagic } from '../../source/archive/format.js'
import { memory } from '../../source/memory.js'
import type {
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
} from '../../source/source.js'

const loadArchive = onDemand(() => import('../../source/archive/archive.js'))

/** A single file that holds skills. In a bundle, text by path, not yet validated. */
type SkillFiles =
  | { kind: 'archive' | 'skill' }
  | { kind: 'bundle'; files: Readonly<Record<string, unknown>> }
/** `index` is the index of a skill site. */
export type Container = SkillFiles | { kind: 'index' }

const BRACE = 0x7b
const LESS_THAN = 0x3c
/** Bytes searched for a frontmatter. */
const SEARCHED_BYTES = 65_536
const FRONTMATTER = /^\s*---[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)/

/**
 * Detects by its bytes how a file holds skills; declared types are often wrong. `undefined` if it holds no skills.
 * @throws SkillshelfError `unsupported` for other archives, `format` for a file declared as JSON that does not parse.
 */
export function detectContainer({ bytes, url, type }: FetchResult): Container | undefined {
  if (bytes.length === 0) return undefined
  const start = bytes.subarray(0, 512)
  const archive = detectFormat(start)
  const path = url.replace(/[?#].*$/, '')
  // `detectFormat` answers 'tar' for everything it does not know.
  if (archive !== 'tar' || hasUstarMagic(start) || /\.tar$/i.test(path)) return { kind: 'archive' }
  const first = firstByte(bytes)
  if (first === BRACE) {
    return detectJson(bytes, url, type === 'application/json' || /\.json$/i.test(path))
  }
  return first !== LESS_THAN && isSkillFile(bytes, path) ? { kind: 'skill' } : undefined
}

/** True if a file starts as an HTML page does. */
export function isHtml({ bytes }: FetchResult): boolean {
  return firstByte(bytes) === LESS_THAN
}

/** The first byte after a byte order mark and white space. */
function firstByte(bytes: Uint8Array): number | undefined {
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes.subarray(from, SEARCHED_BYTES).find(byte => byte > 0x20)
}

function detectJson(bytes: Uint8Array, url: string, declared: boolean): Container | undefined {
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    if (!declared) return undefined
    throw new SkillshelfError('format', `${url} is not valid JSON`, { subject: url }, error)
  }
  if (!isRecord(data)) return undefined
  if (Array.isArray(data['skills']) || data['$schema'] !== undefined) return { kind: 'index' }
  const files = isRecord(data['files']) ? data['files'] : data
  const holdsSkill = Object.entries(files).some(
    ([path, text]) => typeof text === 'string' && basename(path).toLowerCase() === 'skill.md',
  )
  return holdsSkill ? { kind: 'bundle', files } : undefined
}

/** Any file named SKILL.md, other Markdown with frontmatter, or text whose frontmatter has a `name`. Articles have a `title` instead. */
function isSkillFile(bytes: Uint8Array, path: string): boolean {
  if (/\/skill\.md$/i.test(path)) return true
  const [, frontmatter] = FRONTMATTER.exec(decodeText(bytes.subarray(0, SEARCHED_BYTES)).text) ?? []
  return frontmatter !== undefined && (/\.md$/i.test(path) || /^name[ \t]*:/m.test(frontmatter))
}

/**
 * Wraps an archive, bundle or SKILL.md at an address as a source with `list`. Each listing after the first sends a conditional request;
 * the files already opened stay readable until a newer version is opened.
 * @param problems Entries added to every listing, to report other candidates that could not be used.
 */
export async function containerTree(
  source: FetchableSource,
  found: FetchResult,
  container: SkillFiles,
  problems: readonly FileEntry[],
): Promise<ListableSource> {
  const { name } = source
  let current = { ...(await openContainer(name, found, container)), version: found.version }
  let isFirst = true

  const list = async (signal: AbortSignal | undefined): Promise<readonly FileEntry[]> => {
    throwIfAborted(signal)
    const latest = isFirst
      ? 'unchanged'
      : await source.fetch('', { ifVersion: current.version, signal })
    if (latest === 'unchanged') {
      const listing = await current.tree.list({ signal })
      isFirst = false
      return [...listing, ...current.refused, ...problems]
    }
    const next = latest && detectContainer(latest)
    if (!next || next.kind === 'index') {
      throw latest
        ? new SkillshelfError('format', `${latest.url} no longer holds skills`, { subject: name })
        : new SkillshelfError(
            'source-not-found',
            `Nothing found at the address of ${name} any more`,
            { subject: name },
          )
    }
    const opened = { ...(await openContainer(name, latest, next)), version: latest.version }
    const listing = await opened.tree.list({ signal })
    current = opened
    return [...listing, ...current.refused, ...problems]
  }

  return {
    name,
    list: ({ signal } = {}) => list(signal),
    read: (path, options) => current.tree.read(path, options),
    close: async () => source.close?.(),
  }
}

/** `refused`: entries that cannot be used, each with its reason. */
type OpenContainer = { tree: ListableSource; refused: readonly FileEntry[] }

async function openContainer(
  name: string,
  { bytes }: FetchResult,
  container: SkillFiles,
): Promise<OpenContainer> {
  if (container.kind === 'bundle') return openBundle(name, container.files)
  if (container.kind === 'skill') {
    return { tree: memory({ 'SKILL.md': bytes }, { name }), refused: [] }
  }
  const { archive } = await loadArchive()
  return { tree: archive(bytes, { name }), refused: [] }
}

/** Opens the valid entries of a bundle and reports the others. */
function openBundle(name: string, files: Readonly<Record<string, unknown>>): OpenContainer {
  const valid = new Map<string, string>()
  const refused: FileEntry[] = []
  for (const [number, [path, text]] of Object.entries(files).entries()) {
    const safe = trySafePath(path)
    const refuse = (reason: string): void => {
      const unreadable = `${JSON.stringify(path.slice(0, 100))} ${reason}`
      refused.push({ path: `bundle.json/${number}`, unreadable })
    }
    if (safe === undefined) refuse('is not a valid relative path')
    else if (typeof text !== 'string') refuse('is not text')
    else valid.set(safe, text)
  }
  return { tree: memory(Object.fromEntries(valid), { name }), refused }
}
