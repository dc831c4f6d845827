import { useEffect, useRef, useState } from 'react'
import type { MatchResult, SearchResult } from '../../library/api/match-result.js'
import type { MatchOptions, SearchOptions, SkillLibrary } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import type { SkillSearchEventMap } from '../element/events.js'
import type { SkillSearchElement } from '../element/skill-search.js'
import { createLoading, fetching, IDLE, type Loaded, PENDING } from '../state/loaded.js'
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
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
  type SkillsState,
} from '../state/skills.js'

/** Arguments of `useSkills`: options of `openLibrary`, with `matcher` as a function and `upgrade`. */
export interface UseSkillsOptions extends OpenSkillsOptions {
  /** Where to open the library, or an open library, which stays open. A source is closed with its library. `undefined` opens nothing. */
  input: SkillsInput
}

/** The library that a hook asks. */
export interface WithSkills {
  /** The result of `useSkills`. */
  skills: SkillsState
}

/** Arguments of `useSearch`: a message, and options of `search`. */
export interface UseSearchOptions extends WithSkills, MatchQuery, Omit<SearchOptions, 'signal'> {}

/** Arguments of `useMatch`: a message, and options of `match`. */
export interface UseMatchOptions extends WithSkills, MatchQuery, Omit<MatchOptions, 'signal'> {}

/** Arguments of `useSkill`. */
export interface UseSkillOptions extends WithSkills, SkillRequest {}

/** Arguments of `useSkillFile`. */
export interface UseSkillFileOptions extends WithSkills, FileRequest {}

/**
 * Opens a library for as long as the component is mounted.
 *
 * Another `input` closes the library and opens the next. Addresses are compared by value, other inputs by identity: create them outside
 * the component or with `useMemo`. On a server, and while hydrating, the status is `pending` and nothing is opened. Options are read when
 * the library opens.
 * @returns `data` has the library and its skills.
 * @example
 * ```ts
 * import { createElement } from 'react'
 * import { useSkills } from 'skillshelf/react'
 *
 * export function SkillCount() {
 *   const { status, data, error } = useSkills({ input: '/skills/' })
 *   if (status === 'error') return createElement('p', { role: 'alert' }, error.message)
 *   return createElement('p', null, status === 'success' ? `${data.skills.length} skills` : 'Loading…')
 * }
 * ```
 */
export function useSkills({ input, ...options }: UseSkillsOptions): SkillsState {
  const key = input instanceof URL ? input.href : input
  const [current, setCurrent] = useState<{ key: SkillsInput; state: SkillsState }>()
  const latestOptions = useRef<OpenSkillsOptions>(options)
  useEffect(() => {
    latestOptions.current = options
  })
  useEffect(() => {
    const opened = openSkills(key, latestOptions.current, state => setCurrent({ key, state }))
    setCurrent({ key, state: opened.state })
    return () => opened.close()
  }, [key])
  // The state of an input that was replaced has a closed library.
  if (current && current.key === key) return current.state
  return key === undefined ? IDLE : PENDING
}

/**
 * Finds the nearest skills for a message: for a search box. A newer message aborts the one before it. The message is matched again when
 * the library changes, the bundled model joins or a transformer is ready. An empty message is `idle`.
 * @param options Compared by value.
 * @returns `data` is the result of `search`. That of the message before stays until the new one is there.
 * @example
 * ```ts
 * import { createElement, useState } from 'react'
 * import { useSearch, useSkills } from 'skillshelf/react'
 *
 * export function SkillBox() {
 *   const [message, setMessage] = useState('')
 *   const { data } = useSearch({ skills: useSkills({ input: '/skills/' }), message })
 *   return createElement(
 *     'label',
 *     null,
 *     createElement('input', { value: message, onChange: event => setMessage(event.target.value) }),
 *     data?.matches.map(({ id, name, reason }) => createElement('p', { key: id }, `${name}: ${reason}`)),
 *   )
 * }
 * ```
 */
export function useSearch({ skills, ...search }: UseSearchOptions): Loaded<SearchResult> {
  return useRequest(skills, searchRequest(search))
}

/**
 * Finds the skills that serve a message: for something that acts by itself. See `useSearch`, which lists the nearest skills in any case.
 * @returns `data` is the result of `match`: look at its `status`.
 * @example
 * ```ts
 * import { useMatch, useSkills } from 'skillshelf/react'
 *
 * export function useBestSkill(message: string) {
 *   const { data } = useMatch({ skills: useSkills({ input: '/skills/' }), message, limit: 1 })
 *   return data?.status === 'match' ? data.matches[0] : undefined
 * }
 * ```
 */
export function useMatch({ skills, ...match }: UseMatchOptions): Loaded<MatchResult> {
  return useRequest(skills, matchRequest(match))
}

/**
 * Opens a skill, again when the library changes. Without an `id` it is `idle`.
 * @returns `data` is the skill, as `library.get` returns it.
 * @example
 * ```ts
 * import { createElement } from 'react'
 * import { type SkillsState, useSkill } from 'skillshelf/react'
 *
 * export function Instructions({ skills, id }: { skills: SkillsState; id: string }) {
 *   const { data, error } = useSkill({ skills, id })
 *   return createElement('pre', null, error?.message ?? data?.instructions)
 * }
 * ```
 */
export function useSkill({ skills, ...skill }: UseSkillOptions): Loaded<Skill> {
  return useRequest(skills, skillRequest(skill))
}

/**
 * Reads a file of a skill, again when the library changes. Without an `id` or a `path` it is `idle`.
 * @returns `data` is the file, as `library.read` returns it.
 * @example
 * ```ts
 * import { createElement } from 'react'
 * import { type SkillsState, useSkillFile } from 'skillshelf/react'
 *
 * export function Template({ skills }: { skills: SkillsState }) {
 *   const { data } = useSkillFile({ skills, id: 'invoice-check', path: 'references/rates.csv' })
 *   return createElement('pre', null, data?.text)
 * }
 * ```
 */
export function useSkillFile({ skills, ...file }: UseSkillFileOptions): Loaded<SkillFile> {
  return useRequest(skills, fileRequest(file))
}

function useRequest<Data>(skills: SkillsState, request: Request<Data>): Loaded<Data> {
  const { key, keepsData } = request
  const library = skills.data?.library
  const [last, setLast] = useState<{
    key: string | undefined
    library: SkillLibrary | undefined
    state: Loaded<Data>
  }>()
  // What another library gave is not shown.
  const current = last && last.library === library ? last : undefined
  const latest = useRef({ request, current })
  useEffect(() => {
    latest.current = { request, current }
  })
  useEffect(() => {
    const { request, current } = latest.current
    const before = keepsData || current?.key === key ? current?.state : undefined
    const show = (state: Loaded<Data>): void => setLast({ key, library, state })
    const loading = createLoading(before ?? IDLE, show)
    loadFrom(loading, skills, request.key === undefined ? undefined : request.load)
    show(loading.state)
    return () => loading.close()
  }, [skills, library, key, keepsData])
  if (current && current.key === key) return current.state
  if (key === undefined || skills.status === 'idle') return IDLE
  return keepsData && current ? fetching(current.state) : PENDING
}

/** Attributes of `<skill-search>` in JSX. React sets `library`, `options`, `render` and `texts` as properties. */
export interface SkillSearchProps
  extends Partial<Pick<SkillSearchElement, 'library' | 'options' | 'render' | 'texts'>> {
  src?: string | undefined
  dialog?: boolean | undefined
  hotkey?: string | undefined
  label?: string | undefined
  limit?: number | undefined
  placeholder?: string | undefined
  'onskill-match'?: ((event: SkillSearchEventMap['skill-match']) => void) | undefined
  'onskill-open'?: ((event: SkillSearchEventMap['skill-open']) => void) | undefined
  'onskill-copy'?: ((event: SkillSearchEventMap['skill-copy']) => void) | undefined
  'onskill-error'?: ((event: SkillSearchEventMap['skill-error']) => void) | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'skill-search': import('react').DetailedHTMLProps<
        import('react').HTMLAttributes<SkillSearchElement>,
        SkillSearchElement
      > &
        SkillSearchProps
    }
  }
}
