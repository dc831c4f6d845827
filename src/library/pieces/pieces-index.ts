import type { AbortOptions } from '../../core/abort.js'
import { shortDigest } from '../../core/digest.js'
import { invalidInput } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import { eachPosting } from '../../search/index/postings.js'
import type { CorpusStatistics } from '../../search/match/corpus-statistics.js'
import { rankTerms, toRanking } from '../../search/match/hybrid.js'
import type { SearchedSegment, SkillPredicate } from '../../search/match/searched-segment.js'
import type { QueryVector } from '../../search/match/skill-match.js'
import { folderTerm, nameTerm, tagTerm } from '../../search/pieces/key-terms.js'
import { matchPieces } from '../../search/pieces/rank-pieces.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import { readEntry } from '../catalog/catalog-line.js'
import { readPackedDetails } from '../catalog/packed-details.js'
import type { PiecedCatalog } from '../catalog/pieced-catalog.js'
import { createSummary, packedRevision, skillId } from '../catalog/snapshot.js'
import { unreadablePiece } from '../catalog/unreadable-piece.js'
import type {
  FoundSkill,
  PagedFilter,
  PagedIndex,
  PagedQuery,
  PagedRanking,
  SkillLookup,
} from '../paged/paged-index.js'
import { filterSkills } from '../query/arguments.js'
import { damagedRow, diagnosticsOf } from './pieces-diagnostics.js'
import type { PiecesModel } from './pieces-model.js'
import { createPiecesReader, type PiecesReader } from './pieces-reader.js'

/** Skills that one name or list of ids finds, at most. */
const MAX_FOUND = 1_000

/** What the pieces of a library are read and ranked with. */
export interface PiecesParts {
  source: SkillSource
  origin: string
  model: PiecesModel
  corpus: CorpusStatistics
  /** Once the library is upgraded to the encoder of its vectors. */
  encoder: MessageEncoder | undefined
}

/** Embeds messages with the encoder of pieces. */
export interface MessageEncoder {
  /** The vector of a message, once the list of the vectors is read. `undefined`: the bundled model ranks alone. */
  embed(
    reader: PiecesReader,
    message: string,
    signal: AbortSignal | undefined,
  ): Promise<QueryVector | undefined>
}

/** A published revision that is open. */
export interface PiecesIndex extends PagedIndex {
  /** What reads its pieces. */
  readonly reader: PiecesReader
}

/** A published revision of a library in pieces. */
export interface PublishedPieces {
  catalog: PiecedCatalog
  /** Of `skillshelf.json`, if the source has versions. */
  version: string | undefined
  /** The content of the list. */
  list: Uint8Array
}

/** The pieces that are read, and what is known of their skills. */
interface PiecesState {
  reader: PiecesReader
  searched: SearchedSegment
  /** Skills whose entries are damaged: `searched` never finds them. */
  dead: Set<number>
  /** By number. */
  entries: Map<number, CatalogEntry>
  numbers: Map<SkillId, number>
}

/** An entry of a skill that was read, with its summary. */
interface ReadSkill {
  entry: CatalogEntry
  summary: SkillSummary
}

/** @throws SkillshelfError `format` if the list cannot be read by this version */
export function createPiecesIndex(parts: PiecesParts, published: PublishedPieces): PiecesIndex {
  const { source, origin, model, corpus } = parts
  const { catalog, version, list } = published
  const leftOut = new Map<string, Diagnostic>()
  const known = diagnosticsOf(catalog, origin)
  const revision = shortDigest(catalog.content)
  const create = (): PiecesState => {
    const reader = createPiecesReader(source, catalog.list, list)
    const { segment } = reader.pieces
    if (segment.length !== catalog.skills) throw unreadablePiece(catalog.list, source)
    const dead = new Set<number>()
    const searched: SearchedSegment = {
      key: catalog.list,
      segment,
      ids: [],
      dead,
      get upgradeVectors() {
        return reader.pieces.encoder?.vectors
      },
      scores: new Float32Array(segment.length),
    }
    return { reader, searched, dead, entries: new Map(), numbers: new Map() }
  }
  let state = create()
  /** Messages share the pieces until too many are kept. */
  const current = (): PiecesState => {
    if (state.reader.isFull()) state = create()
    return state
  }

  const summaryOf = (entry: CatalogEntry): SkillSummary =>
    createSummary(skillId(origin, entry.path), origin, entry)
  /** Whether a skill passes a filter. What the index terms say of one is checked when it is read. */
  const passes = (of: PiecesState, number: number, filter: PagedFilter): boolean => {
    const entry = of.entries.get(number)
    return !entry || filterSkills([summaryOf(entry)], filter).length > 0
  }
  /** Notes the skills of the files of rows that were read. */
  const note = (of: PiecesState, files: readonly string[]): void => {
    const { rows } = of.reader.pieces
    for (const number of files.flatMap(rows.skillsOf)) {
      if (of.entries.has(number)) continue
      const entry = readEntry(parseJson(rows.lineOf(number)))
      const id = entry && skillId(origin, entry.path)
      // A second row with one id says that it is another skill.
      if (!entry || id === undefined || (of.numbers.get(id) ?? number) !== number) {
        leftOut.set(String(number), damagedRow(number, catalog))
        of.dead.add(number)
        continue
      }
      of.entries.set(number, entry)
      of.numbers.set(id, number)
      const ids = of.searched.ids as SkillId[]
      ids[number] = id
    }
  }
  const load = async (
    of: PiecesState,
    files: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    await of.reader.load(files, signal)
    note(of, files)
  }
  /** The numbers of the skills that have one of some terms, in order. */
  const withTerms = async (
    of: PiecesState,
    terms: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[]> => {
    const { segment, terms: lexicon } = of.reader.pieces
    for (;;) {
      const { found, missing } = lexicon.lookUp(() =>
        terms.flatMap(term => segment.lexicon.find(term) ?? []),
      )
      if (missing.length === 0) {
        const numbers = new Set<number>()
        for (const entry of found) eachPosting(segment, entry, skill => numbers.add(skill))
        return [...numbers].sort((a, b) => a - b)
      }
      await of.reader.load(missing, signal)
    }
  }
  const loadSkills = async (
    of: PiecesState,
    numbers: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<ReadSkill[]> => {
    await load(of, numbers.map(of.reader.pieces.rows.fileOf), signal)
    return numbers.flatMap(number => {
      const entry = of.entries.get(number)
      return entry ? [{ entry, summary: summaryOf(entry) }] : []
    })
  }
  /** The terms of the folders that ids name. */
  const foldersOf = (ids: readonly SkillId[]): string[] =>
    ids.flatMap(id => {
      if (id === origin) return [folderTerm('')]
      return id.startsWith(`${origin}/`) ? [folderTerm(id.slice(origin.length + 1))] : []
    })
  /** Where a page begins. Another revision has another order. */
  const readCursor = (cursor: string | undefined): number => {
    if (cursor === undefined) return 0
    const [, of, from] = /^([^.]+)\.(\d{1,9})$/.exec(cursor) ?? []
    if (of === revision) return Number(from)
    throw invalidInput(
      'The cursor is not of this revision of the library',
      'list it again from its first page',
    )
  }
  /** The skills that pass a filter; `undefined`: all do. */
  const filtered = async (
    of: PiecesState,
    { tags, origins, ids }: PagedFilter,
    signal: AbortSignal | undefined,
  ): Promise<number[] | undefined> => {
    if (origins && !origins.includes(origin)) return []
    const tagged = tags && (await withTerms(of, tags.map(tagTerm), signal))
    const named = ids && (await withTerms(of, foldersOf(ids), signal))
    if (!tagged || !named) return tagged ?? named
    const isTagged = new Set(tagged)
    return named.filter(number => isTagged.has(number))
  }
  const find = async (
    of: PiecesState,
    { ids, keys }: SkillLookup,
    signal: AbortSignal | undefined,
  ): Promise<ReadSkill[]> => {
    const terms = [...foldersOf(ids), ...keys.map(nameTerm)]
    const numbers = await withTerms(of, terms, signal)
    return loadSkills(of, numbers.slice(0, MAX_FOUND), signal)
  }

  return {
    get reader() {
      return current().reader
    },
    revision: catalog.content,
    version,
    content: packedRevision({ origin, catalogDigest: catalog.content }),
    total: catalog.skills,
    get diagnostics() {
      return [...known, ...leftOut.values()]
    },
    async rank(query, { filter, wait, signal, also }): Promise<PagedRanking> {
      const of = current()
      const { searched, reader } = of
      const { rows } = reader.pieces
      const vector = await parts.encoder?.embed(reader, query.message, signal)
      const { encoder } = reader.pieces
      const read = (files: readonly string[]): Promise<void> =>
        load(of, vector && encoder ? [...files, ...encoder.beside(files)] : files, signal)
      const named = also ? await find(of, also, signal) : []
      const passing = await filtered(of, filter, signal)
      const isWanted = passing && new Set(passing)
      // Few skills are read whole: the best by words of all may not be among them.
      if (passing) await read(passing.slice(0, MAX_FOUND).map(rows.fileOf))
      const { embedder, timeout } = await model.wait(query.message, { wait, signal })
      const only: SkillPredicate | undefined =
        isWanted && ((_, skill) => isWanted.has(skill) && passes(of, skill, filter))
      const match = await matchPieces(query, {
        pieces: reader.pieces,
        searched,
        corpus,
        model: embedder,
        modelTimeout: timeout,
        vector,
        only,
        load: read,
      })
      const rankOnly = (only: SkillPredicate | undefined) =>
        toRanking(rankTerms({ ...match, only }))
      const ranking = rankOnly(match.only)
      const found = ranking.skills.flatMap(({ skill }) => {
        const entry = of.entries.get(skill)
        return entry ? [summaryOf(entry)] : []
      })
      return {
        segments: [searched],
        ranking: { ...ranking, complete: ranking.complete && model.takesPart() },
        rankAlone: id => rankOnly((_, skill) => skill === of.numbers.get(id)),
        found,
        also: named.map(({ summary }) => summary),
      }
    },
    async find(lookup, { signal }): Promise<FoundSkill[]> {
      const found = await find(current(), lookup, signal)
      return found.map(({ entry, summary }) => ({
        summary,
        version: `${entry.digest} ${entry.details}`,
        details: ({ signal }: AbortOptions) => readPackedDetails(source, entry, signal),
      }))
    },
    async page({ filter, limit, cursor }: PagedQuery, { signal }) {
      const of = current()
      const from = readCursor(cursor)
      const passing = await filtered(of, filter, signal)
      const numbers = passing
        ? passing.filter(number => number >= from).slice(0, limit + 1)
        : Array.from({ length: Math.min(limit + 1, catalog.skills - from) }, (_, at) => from + at)
      const next = numbers[limit]
      const skills = await loadSkills(of, numbers.slice(0, limit), signal)
      return {
        skills: filterSkills(
          skills.map(({ summary }) => summary),
          filter,
        ),
        ...(next === undefined ? {} : { next: `${revision}.${next}` }),
      }
    },
  }
}
