import { digestOf, shortDigest } from '../../core/digest.js'
import { throwIfAborted } from '../../core/errors.js'
import { joinPath, relativePath } from '../../core/paths.js'
import {
  createSegmentBuilder,
  embeddedSkill,
  ruledOutVector,
  type SegmentDocument,
} from '../../search/index/build.js'
import { compactSegments } from '../../search/index/merge.js'
import { addVectors, createVectorsWriter } from '../../search/index/vectors.js'
import type { EmbeddedSkill, SkillModel } from '../../search/model/skill-model.js'
import { modelDiagnostic } from '../../skill/diagnostics.js'
import type { ListableSource } from '../../source/source.js'
import type { TreeSkill } from '../catalog/catalog-entry.js'
import { readTree } from '../catalog/read-tree.js'
import { isUnchanged, type ListedTreeSkill, listFiles, openTreeSkill } from './open-tree.js'
import type { IndexOptions, IndexSource, SourceIndex, SourceSegment } from './source-index.js'

/** Skills embedded at a time while a library is in use: a few milliseconds. */
const SLICE = 8

interface KnownTreeSkill extends ListedTreeSkill {
  /** Kept until a model joins. */
  text?: EmbeddedSkill | undefined
}

interface TreeState {
  loaded: SourceIndex
  skills: ReadonlyMap<string, KnownTreeSkill>
}

/** Indexes a tree: parses every SKILL.md and builds segments. Unchanged skills of `before` are not read again. */
export async function indexTree(
  source: ListableSource,
  options: IndexOptions,
  reload: IndexSource,
  before?: TreeState,
): Promise<SourceIndex> {
  const known = before?.skills ?? new Map<string, KnownTreeSkill>()
  const { policy, ...treeOptions } = options
  const { strict, summaries } = policy
  const tree = await readTree(source, { ...treeOptions, strict, summaries }, known)
  // A packed library was written since the last load.
  if (before && tree.packed) return reload(source, options)
  if (
    before &&
    tree.changed.length === 0 &&
    tree.unchanged.length === known.size &&
    JSON.stringify(tree.diagnostics) === JSON.stringify(before.loaded.diagnostics)
  ) {
    return before.loaded
  }

  const diagnostics = [...tree.diagnostics]
  const embedder = await options.embedder
  const keepTexts = policy.modelJoins && !embedder
  const skills = new Map<string, KnownTreeSkill>()
  for (const path of tree.unchanged) {
    const skill = known.get(path) as KnownTreeSkill
    const content = tree.contents.get(path)
    skills.set(path, content === skill.content ? skill : { ...skill, content })
  }
  for (const { entry, file, version, lines, details, body } of tree.changed) {
    skills.set(entry.path, {
      file,
      ...(version === undefined ? {} : { version }),
      ...(lines === undefined ? {} : { lines }),
      content: tree.contents.get(entry.path),
      entry,
      files: entry.unread ? undefined : details.files,
      messages: details.messages,
      notMessages: details.notMessages,
      diagnostics: details.diagnostics.filter(({ path }) => path !== file),
      ...(keepTexts ? { text: embeddedSkill(documentOf({ entry, details, body })) } : {}),
    })
  }
  diagnostics.push(...[...skills.values()].flatMap(skill => skill.diagnostics ?? []))
  try {
    await embedder?.prepare?.(tree.changed.map(skill => embeddedSkill(documentOf(skill))))
  } catch (error) {
    if (strict) throw error
    diagnostics.push(modelDiagnostic(error, 'Part of the bundled model'))
  }
  const segments = await updateSegments(
    before?.loaded.segments ?? [],
    new Set(tree.unchanged),
    tree.changed,
    embedder,
  )
  const entries = [...skills.values()]
    .map(({ entry }) => entry)
    .sort((a, b) => (a.path < b.path ? -1 : 1))

  return createLoaded({ source, options, reload, entries, diagnostics }, skills, segments)
}

interface TreeContext extends Pick<SourceIndex, 'entries' | 'diagnostics'> {
  source: ListableSource
  options: IndexOptions
  reload: IndexSource
}

function createLoaded(
  context: TreeContext,
  skills: ReadonlyMap<string, KnownTreeSkill>,
  segments: readonly SourceSegment[],
): SourceIndex {
  const { source, options, reload, entries, diagnostics } = context
  const texts = [...skills.values()].flatMap(({ text }) => text ?? [])
  const withoutTexts = (): Map<string, KnownTreeSkill> =>
    new Map([...skills].map(([path, { text: _, ...skill }]) => [path, skill]))
  const loaded: SourceIndex = {
    source,
    entries,
    byPath: new Map(entries.map(entry => [entry.path, entry])),
    contentOf: ({ path }) => skills.get(path)?.content,
    segments,
    diagnostics,
    open: ({ path }, signal) =>
      openTreeSkill(source, skills.get(path) as KnownTreeSkill, { ...options, signal }),
    isUnchanged: ({ path }, version, signal) =>
      isUnchanged(source, (skills.get(path) as KnownTreeSkill).file, {
        ifVersion: version,
        signal,
      }),
    async files({ path }, signal) {
      const skill = skills.get(path) as KnownTreeSkill
      return { file: relativePath(path, skill.file), files: await listFiles(source, skill, signal) }
    },
    locate: (entry, { path }) => ({ path: joinPath(entry.path, path) }),
    ...(source.root ? { root: (path: string) => source.root?.(path) as string } : {}),
    refresh: next => indexTree(source, { ...options, ...next }, reload, { loaded, skills }),
    ...(texts.length === 0
      ? {}
      : {
          prepare: model => prepareTexts(model, texts),
          async withModel(model, signal) {
            const textAt = (path: string): EmbeddedSkill | undefined => skills.get(path)?.text
            const embedded: SourceSegment[] = []
            for (const segment of segments) {
              embedded.push(await embedSegment(segment, textAt, model, signal))
            }
            return createLoaded(context, withoutTexts(), embedded)
          },
          withoutModel: () => createLoaded(context, withoutTexts(), segments),
        }),
  }
  return loaded
}

/** Loads the parts of a model that texts need. Throws the first failure after it has tried all. */
async function prepareTexts(model: SkillModel, texts: readonly EmbeddedSkill[]): Promise<void> {
  let failure: unknown
  for (let from = 0; from < texts.length; from += SLICE) {
    await model.prepare?.(texts.slice(from, from + SLICE))?.catch(error => {
      failure ??= error
    })
    await pause()
  }
  if (failure !== undefined) throw failure
}

/** Adds the vectors of its live skills to a segment. Frees the thread after every few skills. */
async function embedSegment(
  { bytes, dead, paths, key }: SourceSegment,
  textAt: (path: string) => EmbeddedSkill | undefined,
  model: SkillModel,
  signal: AbortSignal,
): Promise<SourceSegment> {
  const writer = createVectorsWriter(model.space, model.dimensions)
  const vector = new Float32Array(model.dimensions)
  for (const [number, path] of paths.entries()) {
    const text = dead.has(number) ? undefined : textAt(path)
    if (text) writer.add(model.skillVector(text, vector), ruledOutVector(model, text))
    else writer.add(vector.fill(0))
    if (number % SLICE !== SLICE - 1) continue
    await pause()
    throwIfAborted(signal)
  }
  return { key: `${key}+${model.space}`, bytes: addVectors(bytes, writer.finish()), paths, dead }
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))

function documentOf({
  entry,
  details,
  body,
}: Pick<TreeSkill, 'entry' | 'details' | 'body'>): SegmentDocument {
  const { messages, notMessages, metadata } = details
  return { ...entry, whenToUse: metadata.whenToUse, messages, notMessages, body }
}

/** Marks changed and removed skills as dead, adds a segment for new ones, then compacts. */
async function updateSegments(
  before: readonly SourceSegment[],
  unchanged: ReadonlySet<string>,
  added: readonly TreeSkill[],
  embedder: SkillModel | undefined,
): Promise<SourceSegment[]> {
  const segments = before
    .map(segment => ({
      ...segment,
      dead: new Set([
        ...segment.dead,
        ...segment.paths.flatMap((path, number) => (unchanged.has(path) ? [] : [number])),
      ]),
    }))
    .filter(({ dead, paths }) => dead.size < paths.length)
  if (added.length > 0) {
    const builder = createSegmentBuilder({ embedder })
    for (const [number, { entry, details, body }] of added.entries()) {
      builder.add(documentOf({ entry, details, body }))
      // Frees the thread, as embedding later does.
      if (embedder && number % SLICE === SLICE - 1) await pause()
    }
    const paths = added.map(({ entry }) => entry.path)
    segments.push(newSegment(builder.finish(), paths))
  }
  const { kept, merged } = await compactSegments(
    segments.map(segment => ({ ...segment, skills: segment.paths.length })),
    ({ bytes }) => bytes,
  )
  if (!merged) return segments
  const paths = merged.from.flatMap(segment =>
    segment.paths.filter((_, number) => !segment.dead.has(number)),
  )
  return [...kept, newSegment(merged.bytes, paths)]
}

function newSegment(bytes: Uint8Array<ArrayBuffer>, paths: readonly string[]) {
  return { key: shortDigest(digestOf(bytes)), bytes, paths, dead: new Set<number>() }
}
