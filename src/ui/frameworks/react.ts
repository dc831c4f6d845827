import { useEffect, useRef, useState } from 'react'
import type { MatchOptions } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillSearchEventMap } from '../element/events.js'
import type { SkillSearchElement } from '../element/skill-search.js'
import { createMatching, type Matching, type MatchState, NO_MATCH } from '../state/matching.js'
import {
  IDLE,
  LOADING,
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
  type SkillsState,
} from '../state/skills.js'

/**
 * Opens a library for as long as the component is mounted.
 *
 * Another `input` closes the library and opens the next. Addresses are compared by value, other inputs by identity: create them outside
 * the component or with `useMemo`. On a server, and while hydrating, the status is `loading` and nothing is opened.
 * @param input Where to open the library, or an open library, which stays open. A source is closed with its library. `undefined` opens nothing.
 * @param options Options of `openLibrary`, with `matcher` as a function and `upgrade`. Read when the library opens. Default `{}`.
 * @example
 * ```ts
 * import { createElement } from 'react'
 * import { useSkills } from 'skillshelf/react'
 *
 * export function SkillCount() {
 *   const { status, skills, error } = useSkills('/skills/')
 *   if (status === 'failed') return createElement('p', { role: 'alert' }, error?.message)
 *   return createElement('p', null, status === 'ready' ? `${skills.length} skills` : 'Loading…')
 * }
 * ```
 */
export function useSkills(input: SkillsInput, options: OpenSkillsOptions = {}): SkillsState {
  const key = input instanceof URL ? input.href : input
  const [current, setCurrent] = useState<{ key: SkillsInput; state: SkillsState }>()
  const latestOptions = useRef(options)
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
  return key === undefined ? IDLE : LOADING
}

/**
 * Matches a message against the skills of `useSkills`. A newer message aborts the one before it. The message is matched again when the
 * library changes, the bundled model joins or a transformer is ready.
 * @param query The message, or the message and the conversation before it. An empty message has no matches.
 * @param options Options of `match`. Compared by value. Default `{}`.
 * @returns The matches. Those of the message before stay until the new ones are there.
 * @example
 * ```ts
 * import { createElement, useState } from 'react'
 * import { useMatch, useSkills } from 'skillshelf/react'
 *
 * export function SkillBox() {
 *   const [message, setMessage] = useState('')
 *   const { matches } = useMatch(useSkills('/skills/'), message)
 *   return createElement(
 *     'label',
 *     null,
 *     createElement('input', { value: message, onChange: event => setMessage(event.target.value) }),
 *     matches.map(({ id, name, reason }) => createElement('p', { key: id }, `${name}: ${reason}`)),
 *   )
 * }
 * ```
 */
export function useMatch(
  skills: SkillsState,
  query: string | MatchQuery,
  options: Omit<MatchOptions, 'signal'> = {},
): MatchState {
  const [state, setState] = useState(NO_MATCH)
  const matching = useRef<Matching>(undefined)
  const { library, status, version } = skills
  const latest = useRef({ query, options })
  useEffect(() => {
    latest.current = { query, options }
  })
  const key = JSON.stringify([query, options])
  useEffect(() => {
    const own = createMatching(setState)
    matching.current = own
    setState(own.state)
    return () => own.close()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the query and the options, `version` for changes of the library.
  useEffect(() => {
    const { query, options } = latest.current
    matching.current?.ask(status === 'ready' ? library : undefined, query, options)
  }, [library, status, version, key])
  return state
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
