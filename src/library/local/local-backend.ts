import type { AbortOptions } from '../../core/abort.js'
import { onDemand } from '../../core/load-module.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillId } from '../../skill/skill.js'
import type { LibraryBackend } from '../api/backend.js'
import { readCurrent } from '../catalog/packed-files.js'
import type { Learning } from '../learning/learning.js'
import {
  explainSkill,
  matchSkills,
  type RankedMessage,
  type Ranker,
  type RankerOptions,
  searchSkills,
} from '../query/answer.js'
import { filterSkills, keepOpened } from '../query/arguments.js'
import { type LibraryState, locationOf, sourceOf } from '../state/state.js'
import type { LibraryIndex } from './library-index.js'

const loadSkillFile = onDemand(() => import('../query/skill-file.js'))

/** Finds, opens and reads the skills of an index. */
export function createLocalBackend(
  index: LibraryIndex,
  learning: Learning | undefined,
  { refresh, close }: Pick<LibraryBackend, 'refresh' | 'close'>,
): LibraryBackend {
  const ranker: Ranker = { rank: (query, options) => rank(index, learning, query, options) }
  /** Whether a writer has replaced the skills that are shown. */
  const renew = async ({ signal }: AbortOptions): Promise<boolean> => {
    const { revision } = index.state.snapshot
    await refresh(signal)
    return index.state.snapshot.revision !== revision
  }
  return {
    get snapshot() {
      return index.state.snapshot
    },
    async get(name, options) {
      const read = () =>
        readCurrent(
          () => get(index, name, options),
          () => renew(options),
        )
      const opened = await read()
      // The library lists another SKILL.md, and perhaps other files beside it.
      const isOutdated = !opened.current && !opened.skill.unread && (await renew(options))
      return (isOutdated ? await read() : opened).skill
    },
    async read(name, path, options) {
      const { readSkillFile } = await loadSkillFile()
      const { cache, lookup } = index.state
      const { id } = lookup.find(name)
      if (cache.has(id) && !(await getUnchanged(index, id, options))) await renew(options)
      return readCurrent(
        () => readSkillFile(index.state, name, path, options),
        () => renew(options),
      )
    },
    search: (query, options) => searchSkills(ranker, query, options),
    match: (query, options) =>
      matchSkills(ranker, query, { ...options, rerank: index.options.rerank }),
    explain: (query, name, options) => explainSkill(ranker, query, name, options),
    refresh,
    close,
  }
}

/** A skill that was opened, unless its file has changed since. */
async function getUnchanged(
  { state }: LibraryIndex,
  id: SkillId,
  { signal }: AbortOptions,
): Promise<Skill | undefined> {
  const cached = state.cache.get(id)
  if (cached?.version === undefined) return cached?.skill
  const { source, entry } = sourceOf(state, state.lookup.find(id))
  if ((await source.loaded.isUnchanged?.(entry, cached.version, signal)) ?? true) {
    return cached.skill
  }
  state.cache.delete(id)
  return undefined
}

async function get(
  index: LibraryIndex,
  name: string,
  { signal }: AbortOptions,
): Promise<{ skill: Skill; current: boolean }> {
  const { state } = index
  const summary = state.lookup.find(name)
  const unchanged = await getUnchanged(index, summary.id, { signal })
  if (unchanged && String(unchanged.copies) === String(summary.copies)) {
    return { skill: unchanged, current: true }
  }
  const { source, entry } = sourceOf(state, summary)
  // Not needed for matching, so loaded here.
  const [{ current, version, ...opened }, { createSkill }] = await Promise.all([
    source.loaded.open(entry, signal),
    loadSkillFile(),
  ])
  const skill = createSkill(summary, opened, locationOf(source, entry.path))
  // A file that changed after the last refresh is read again next time.
  if (current) keepOpened(state.cache, skill.id, { skill, version })
  return { skill, current }
}

/** Prepares what ranking one message needs: the model, the vector of the message, and the skills that pass the filter. */
async function rank(
  index: LibraryIndex,
  learning: Learning | undefined,
  query: MatchQuery,
  { skill: name, language, wait, signal, ...filter }: RankerOptions,
): Promise<RankedMessage> {
  const modelTimeout = await index.model.wait(query.message, { wait, signal })
  const { state, embedder, matcher, model } = index
  const { takesPart } = model
  const skill = name === undefined ? undefined : state.lookup.find(name)
  const isFiltered = [filter.tags, filter.origins, filter.ids].some(list => list !== undefined)
  const only = isFiltered
    ? new Set(filterSkills(state.snapshot.skills, filter).map(({ id }) => id))
    : undefined
  const vector = await embedder?.embed(query.message, signal)
  const options = { language, vector, modelTimeout, signal }
  const { summaryOf } = state
  const explain = (id: SkillId) => matcher.explain(query, id, options)
  return {
    async nearest(limit) {
      const found = await matcher.match(query, { ...options, limit, only })
      const complete = takesPart && found.complete
      return found.abstained === 'empty-library' && hasUnreadableSource(state)
        ? { ...found, complete, abstained: 'source-failed' }
        : { ...found, complete }
    },
    explain,
    summaryOf,
    raiseLearned:
      learning &&
      ((found, limit) =>
        learning.raise(found, {
          message: query.message,
          limit,
          model: model.current,
          nameOf: id => (only && !only.has(id) ? undefined : summaryOf(id)?.name),
          explain,
          language,
          modelTimeout,
          signal,
        })),
    skill,
    isShadowed: skill && state.shadowed.has(skill.id),
  }
}

function hasUnreadableSource({ sources }: LibraryState): boolean {
  return sources.some(({ failure }) => failure?.code === 'source-unreadable')
}
