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
import type { MatchOptions, SkillLibrary } from '../../library/api/skill-library.js'
import type { MatcherResult, MatchQuery, SkillMatch } from '../../search/match/skill-match.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { SkillSearchElement } from '../element/skill-search.js'
import { createMatching, NO_MATCH } from '../state/matching.js'
import {
  IDLE,
  LOADING,
  type OpenedSkills,
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
  type SkillsState,
} from '../state/skills.js'

/** An open library as refs. */
export interface UseSkills {
  /** Everything below, as one immutable object for each change. */
  readonly state: Readonly<ShallowRef<SkillsState>>
  readonly status: ComputedRef<SkillsState['status']>
  readonly library: ComputedRef<SkillLibrary | undefined>
  readonly skills: ComputedRef<readonly SkillSummary[]>
  readonly meaning: ComputedRef<boolean>
  readonly error: ComputedRef<Error | undefined>
}

/** The matches of the latest message as refs. */
export interface UseMatch {
  readonly matches: ComputedRef<readonly SkillMatch[]>
  readonly result: ComputedRef<MatcherResult | undefined>
  readonly pending: ComputedRef<boolean>
  readonly error: ComputedRef<Error | undefined>
}

/**
 * Opens a library for as long as the component, or another effect scope, is active.
 *
 * Another `input` closes the library and opens the next. On a server the status is `loading` and nothing is opened.
 * @param input Where to open the library, or an open library, which stays open. A source is closed with its library; also as a ref or getter. `undefined` opens nothing.
 * @param options Options of `openLibrary`, with `matcher` as a function and `upgrade`. Read when the library opens. Default `{}`.
 * @example
 * ```ts
 * import { defineComponent, h } from 'vue'
 * import { useSkills } from 'skillshelf/vue'
 *
 * export const SkillCount = defineComponent(() => {
 *   const { status, skills, error } = useSkills('/skills/')
 *   return () => h('p', status.value === 'failed' ? error.value?.message : `${skills.value.length} skills`)
 * })
 * ```
 */
export function useSkills(
  input: MaybeRefOrGetter<SkillsInput>,
  options: OpenSkillsOptions = {},
): UseSkills {
  const get = (): SkillsInput => {
    const value = toValue(input as MaybeRefOrGetter<unknown>) as SkillsInput
    return value instanceof URL ? value.href : value
  }
  const state = shallowRef(get() === undefined ? IDLE : LOADING)
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
  return {
    state,
    status: computed(() => state.value.status),
    library: computed(() => state.value.library),
    skills: computed(() => state.value.skills),
    meaning: computed(() => state.value.meaning),
    error: computed(() => state.value.error),
  }
}

/**
 * Matches a message against the skills of `useSkills`. A newer message aborts the one before it. The message is matched again when the
 * library changes, the bundled model joins or a transformer is ready.
 * @param query The message, or the message and the conversation before it; also as a ref or getter. An empty message has no matches.
 * @param options Options of `match`, also as a ref or getter. Default `{}`.
 * @returns The matches as refs. Those of the message before stay until the new ones are there.
 * @example
 * ```ts
 * import { ref } from 'vue'
 * import { useMatch, useSkills } from 'skillshelf/vue'
 *
 * const message = ref('')
 * const { matches } = useMatch(useSkills('/skills/'), message)
 * ```
 */
export function useMatch(
  skills: UseSkills,
  query: MaybeRefOrGetter<string | MatchQuery>,
  options: MaybeRefOrGetter<Omit<MatchOptions, 'signal'>> = {},
): UseMatch {
  const state = shallowRef(NO_MATCH)
  const matching = createMatching(next => {
    state.value = next
  })
  watch(
    [skills.state, () => toValue(query), () => toValue(options)] as const,
    ([{ library, status }, query, options]) =>
      matching.ask(status === 'ready' ? library : undefined, query, options),
    { immediate: true },
  )
  onScopeDispose(() => matching.close(), true)
  return {
    matches: computed(() => state.value.matches),
    result: computed(() => state.value.result),
    pending: computed(() => state.value.pending),
    error: computed(() => state.value.error),
  }
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
