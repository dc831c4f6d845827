import {
  type ComputedRef,
  computed,
  type MaybeRefOrGetter,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue'
import type { MatchResult, SearchResult } from '../../library/api/match-result.js'
import type { MatchOptions, SearchOptions } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import type { SkillSearchElement } from '../element/skill-search.js'
import { createLoading, IDLE, type Loaded, type Loading, PENDING } from '../state/loaded.js'
import { loadFrom } from '../state/matching.js'
import {
  type FileRequest,
  fileRequest,
  matchRequest,
  type Request,
  type SkillRequest,
  searchRequest,
  skillRequest,
} from '../state/requests.js'
import {
  type OpenedSkills,
  type OpenSkills,
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
} from '../state/skills.js'

/** Something that loads, as refs. */
export interface UseLoaded<Data> {
  /** Everything below, as one immutable object for each change. */
  readonly state: Readonly<ShallowRef<Loaded<Data>>>
  readonly status: ComputedRef<Loaded<Data>['status']>
  readonly data: ComputedRef<Data | undefined>
  readonly error: ComputedRef<Error | undefined>
  readonly isFetching: ComputedRef<boolean>
}

/** An open library as refs. */
export type UseSkills = UseLoaded<OpenSkills>

/** Arguments, each a value, a ref or a getter. */
export type MaybeRefs<Arguments> = { [Key in keyof Arguments]: MaybeRefOrGetter<Arguments[Key]> }

/** Arguments of `useSkills`: options of `openLibrary`, with `matcher` as a function and `upgrade`. Read when the library opens. */
export interface UseSkillsOptions extends OpenSkillsOptions {
  /**
   * Where to open the library, or an open library, which stays open; also as a ref or getter. A source is closed with its library.
   * `undefined` opens nothing.
   */
  input: MaybeRefOrGetter<SkillsInput>
}

/** The library that a composable asks. */
export interface WithSkills {
  /** The result of `useSkills`. */
  skills: UseSkills
}

/** Arguments of `useSearch`: a message, and options of `search`; each also as a ref or getter. */
export type UseSearchOptions = WithSkills & MaybeRefs<MatchQuery & Omit<SearchOptions, 'signal'>>

/** Arguments of `useMatch`: a message, and options of `match`; each also as a ref or getter. */
export type UseMatchOptions = WithSkills & MaybeRefs<MatchQuery & Omit<MatchOptions, 'signal'>>

/** Arguments of `useSkill`, also as refs or getters. */
export type UseSkillOptions = WithSkills & MaybeRefs<SkillRequest>

/** Arguments of `useSkillFile`, also as refs or getters. */
export type UseSkillFileOptions = WithSkills & MaybeRefs<FileRequest>

/**
 * Opens a library for as long as the component, or another effect scope, is active.
 *
 * Another `input` closes the library and opens the next. On a server the status is `pending` and nothing is opened.
 * @returns `data` has the library and its skills.
 * @example
 * ```ts
 * import { defineComponent, h } from 'vue'
 * import { useSkills } from 'skillshelf/vue'
 *
 * export const SkillCount = defineComponent(() => {
 *   const { data, error } = useSkills({ input: '/skills/' })
 *   return () => h('p', error.value?.message ?? `${data.value?.skills.length ?? 0} skills`)
 * })
 * ```
 */
export function useSkills({ input, ...options }: UseSkillsOptions): UseSkills {
  const get = (): SkillsInput => {
    const value = toValue(input as MaybeRefOrGetter<unknown>) as SkillsInput
    return value instanceof URL ? value.href : value
  }
  const state = shallowRef<Loaded<OpenSkills>>(get() === undefined ? IDLE : PENDING)
  // A server renders once and never disposes.
  if (typeof document !== 'undefined') {
    let opened: OpenedSkills | undefined
    watch(
      get,
      input => {
        opened?.close()
        opened = openSkills(input, options, next => {
          state.value = next
        })
        state.value = opened.state
      },
      { immediate: true, flush: 'sync' },
    )
    onScopeDispose(() => opened?.close(), true)
  }
  return toRefs(state)
}

/**
 * Finds the nearest skills for a message: for a search box. A newer message aborts the one before it. The message is matched again when
 * the library changes, the bundled model joins or a transformer is ready. An empty message is `idle`.
 * @returns `data` is the result of `search`. That of the message before stays until the new one is there.
 * @example
 * ```ts
 * import { ref } from 'vue'
 * import { useSearch, useSkills } from 'skillshelf/vue'
 *
 * const message = ref('')
 * const { data } = useSearch({ skills: useSkills({ input: '/skills/' }), message })
 * ```
 */
export function useSearch({ skills, ...search }: UseSearchOptions): UseLoaded<SearchResult> {
  return useRequest(skills, () => searchRequest(toValues(search)))
}

/**
 * Finds the skills that serve a message: for something that acts by itself. See `useSearch`, which lists the nearest skills in any case.
 * @returns `data` is the result of `match`: look at its `status`.
 * @example
 * ```ts
 * import { ref } from 'vue'
 * import { useMatch, useSkills } from 'skillshelf/vue'
 *
 * const message = ref('')
 * const { data } = useMatch({ skills: useSkills({ input: '/skills/' }), message, limit: 1 })
 * ```
 */
export function useMatch({ skills, ...match }: UseMatchOptions): UseLoaded<MatchResult> {
  return useRequest(skills, () => matchRequest(toValues(match)))
}

/**
 * Opens a skill, again when the library changes. Without an `id` it is `idle`.
 * @returns `data` is the skill, as `library.get` returns it.
 * @example
 * ```ts
 * import { useSkill, useSkills } from 'skillshelf/vue'
 *
 * const { data } = useSkill({ skills: useSkills({ input: '/skills/' }), id: 'invoice-check' })
 * ```
 */
export function useSkill({ skills, ...skill }: UseSkillOptions): UseLoaded<Skill> {
  return useRequest(skills, () => skillRequest(toValues(skill)))
}

/**
 * Reads a file of a skill, again when the library changes. Without an `id` or a `path` it is `idle`.
 * @returns `data` is the file, as `library.read` returns it.
 * @example
 * ```ts
 * import { useSkillFile, useSkills } from 'skillshelf/vue'
 *
 * const skills = useSkills({ input: '/skills/' })
 * const { data } = useSkillFile({ skills, id: 'invoice-check', path: 'references/rates.csv' })
 * ```
 */
export function useSkillFile({ skills, ...file }: UseSkillFileOptions): UseLoaded<SkillFile> {
  return useRequest(skills, () => fileRequest(toValues(file)))
}

function useRequest<Data>(skills: UseSkills, request: () => Request<Data>): UseLoaded<Data> {
  const state = shallowRef<Loaded<Data>>(IDLE)
  let loading: Loading<Data> | undefined
  watch(
    [skills.state, () => request().key] as const,
    ([skills, key], [skillsBefore, keyBefore]) => {
      const { keepsData, load } = request()
      // What another library gave is not shown.
      const isSame = skills.data?.library === skillsBefore?.data?.library
      const stays = isSame && (keepsData || key === keyBefore)
      loading?.close()
      loading = createLoading(stays ? state.value : IDLE, next => {
        state.value = next
      })
      loadFrom(loading, skills, key === undefined ? undefined : load)
      state.value = loading.state
    },
    { immediate: true },
  )
  onScopeDispose(() => loading?.close(), true)
  return toRefs(state)
}

function toRefs<Data>(state: ShallowRef<Loaded<Data>>): UseLoaded<Data> {
  return {
    state,
    status: computed(() => state.value.status),
    data: computed(() => state.value.data),
    error: computed(() => state.value.error),
    isFetching: computed(() => state.value.isFetching),
  }
}

function toValues<Arguments extends object>(refs: MaybeRefs<Arguments>): Arguments {
  const values = Object.entries(refs).map(([key, ref]) => [key, toValue(ref as unknown)])
  return Object.fromEntries(values) as Arguments
}

declare module 'vue' {
  interface GlobalComponents {
    'skill-search': new () => {
      $props: Partial<
        Pick<
          SkillSearchElement,
          'src' | 'dialog' | 'hotkey' | 'limit' | 'library' | 'options' | 'render' | 'texts'
        >
      > & { label?: string; placeholder?: string }
    }
  }
}
