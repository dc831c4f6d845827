import { type FunctionComponent, createElement as h, StrictMode } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { localMatcher } from '../../src/exports/match.js'
import {
  type OpenSkillsOptions,
  type SkillsInput,
  useMatch,
  useSearch,
  useSkill,
  useSkillFile,
  useSkills,
} from '../../src/exports/react.js'
import { deferred } from '../deferred.js'
import { countedSource } from './hooks-world.js'

interface Props {
  input: SkillsInput
  message?: string
  options?: OpenSkillsOptions
  threshold?: number
}

const namesOf = (data: { matches: readonly { name: string }[] } | undefined): string =>
  (data?.matches ?? []).map(({ name }) => name).join()

const renders: { library: SkillLibrary | undefined }[] = []

function Search({ input, message = '', options = {}, threshold = 0.1 }: Props) {
  const skills = useSkills({ input, ...options })
  const { data, isFetching, error } = useMatch({ skills, message, threshold })
  renders.push({ library: skills.data?.library })
  const found = `${isFetching ? '…' : ''}${error?.name ?? ''}${namesOf(data)}`
  return h('p', null, `${skills.status} ${skills.data?.skills.length ?? 0}: ${found}`)
}

const stage = document.createElement('div')
document.body.append(stage)
let root: Root | undefined
const render = (props: Props): void => {
  root ??= createRoot(stage)
  root.render(h(StrictMode, null, h(Search, props)))
}
type Skills = ReturnType<typeof useSkills>

const garden = countedSource()

interface HostProps {
  input: SkillsInput
  part: FunctionComponent<{ skills: Skills }>
  props: object
}
function Host({ input, part, props }: HostProps) {
  return h(part, { ...props, skills: useSkills({ input, embedder: false }) })
}
/** Shows a component that gets an open library. */
const show = <Own extends object>(
  part: FunctionComponent<Own & { skills: Skills }>,
  props: Own,
  input: SkillsInput = garden,
): void => {
  root ??= createRoot(stage)
  const host: HostProps = { input, part: part as HostProps['part'], props }
  root.render(h(StrictMode, null, h(Host, host)))
}
const otherLibrary = () =>
  openLibrary({ 'roses/SKILL.md': '---\nname: roses\ndescription: Roses\n---\nOther roses.' })
const text = () => stage.textContent
const unmount = (): void => {
  root?.unmount()
  root = undefined
}

afterEach(() => {
  unmount()
  renders.length = 0
  vi.restoreAllMocks()
})

describe('skillshelf/react in strict mode', () => {
  it('[BY-18] useSkills opens a library, useMatch matches, and unmounting closes what was opened', async () => {
    const errors = vi.spyOn(console, 'error')
    const source = countedSource()
    const matchers = { created: 0, closed: 0 }
    const matcher = () => {
      matchers.created++
      return { ...localMatcher(), close: async () => void matchers.closed++ }
    }
    const options = { matcher }
    render({ input: source, message: 'prune roses', options })
    await expect.poll(text).toBe('success 2: roses')
    render({ input: source, message: 'tulip bulbs', options })
    await expect.poll(text).toBe('success 2: tulips')
    render({ input: source, message: ' ', options })
    await expect.poll(text).toBe('success 2: ')
    unmount()
    // Strict mode mounts twice: what the first mount began is ended too.
    await expect
      .poll(() => matchers)
      .toEqual({ created: matchers.created, closed: matchers.created })
    expect(matchers.created).toBeGreaterThan(0)
    expect(source.closed).toBeGreaterThan(0)
    expect(errors).not.toHaveBeenCalled()
  })

  it('[BY-18] unmounting while the library opens aborts it', async () => {
    const source = countedSource()
    const release = source.hold()
    render({ input: source, message: 'prune roses' })
    await expect.poll(() => source.reads).toBeGreaterThan(0)
    unmount()
    const before = renders.length
    expect(source.signals.every(signal => signal?.aborted)).toBe(true)
    const { reads } = source
    release()
    await new Promise<void>(resolve => setTimeout(resolve))
    expect([source.reads, renders.length]).toEqual([reads, before])
  })

  it('[BY-18] another input replaces the library, and no render sees the old one with the new input', async () => {
    const [first, second] = [countedSource('first'), countedSource('second')]
    render({ input: first, message: 'prune roses' })
    await expect.poll(text).toBe('success 2: roses')
    const old = renders.at(-1)?.library
    const before = renders.length
    render({ input: second, message: 'prune roses' })
    await expect.poll(() => renders.at(-1)?.library?.snapshot.skills[0]?.origin).toBe('second')
    await expect.poll(text).toBe('success 2: roses')
    expect(renders.slice(before).some(({ library }) => library === old)).toBe(false)
    expect(await old?.match('roses').catch(({ code }) => code)).toBe('closed')
  })

  it('[BY-18] a newer message aborts the one before it', async () => {
    await using library = await openLibrary(countedSource(), { embedder: false })
    const signals: AbortSignal[] = []
    const match = library.match.bind(library)
    const { promise, resolve: release } = deferred()
    vi.spyOn(library, 'match').mockImplementation(async (query, options) => {
      signals.push(options?.signal as AbortSignal)
      // The first message is answered last.
      if (typeof query === 'object' && query.message === 'prune roses') await promise
      return match(query, { ...options, signal: undefined })
    })
    render({ input: library, message: 'prune roses' })
    await expect.poll(text).toBe('success 2: …')
    render({ input: library, message: 'tulip bulbs' })
    await expect.poll(text).toBe('success 2: tulips')
    release()
    expect(signals[0]?.aborted).toBe(true)
    await library.match('tulip bulbs')
    expect(text()).toBe('success 2: tulips')
    unmount()
    expect((await library.match('tulip bulbs')).matches).toHaveLength(1)
  })

  it('[BY-18] a change of the library matches the message again', async () => {
    const source = memory({ 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nText.' })
    await using library = await openLibrary(source, { embedder: false })
    render({ input: library, message: 'brew tea' })
    await expect.poll(text).toBe('success 1: tea')
    await source.write({
      put: { 'coffee/SKILL.md': '---\nname: coffee\ndescription: Brews coffee\n---\nText.' },
    })
    await library.refresh()
    await expect.poll(text).toMatch(/^success 2: tea(,coffee)?$/)
  })

  it('[BY-18] a source that cannot be read fails', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    render({ input: '/nothing-here/', message: 'roses' })
    await expect.poll(text).toMatch(/^error 0: SkillshelfError$/)
  })

  it('[BY-23] useSearch lists a skill that useMatch does not act on', async () => {
    function Both({ skills }: { skills: Skills }) {
      const message = 'prune'
      const search = useSearch({ skills, message })
      const match = useMatch({ skills, message, threshold: 0.999 })
      const shown = [namesOf(search.data), namesOf(match.data), match.data?.status]
      return h('p', null, shown.join(' '))
    }
    show(Both, {})
    await expect.poll(text).toMatch(/^roses {2}(maybe|none)$/)
  })

  it('[BY-18] useSkill and useSkillFile show one skill, never what another id or library gave', async () => {
    const seen: [string | undefined, string, string | undefined][] = []
    function Opened({ skills, id }: { skills: Skills; id?: string | undefined }) {
      const { data, error, status } = useSkill({ skills, id })
      const file = useSkillFile({ skills, id, path: id && 'care.md' })
      seen.push([id, status, data?.name])
      const text = error && 'code' in error ? error.code : data?.instructions
      return h('p', null, `${status} ${text} ${file.status} ${file.data?.text}`)
    }
    show(Opened, {})
    await expect.poll(text).toBe('idle undefined idle undefined')
    show(Opened, { id: 'roses' })
    await expect.poll(text).toBe('success Text. success Water them.')
    show(Opened, { id: 'tulips' })
    await expect.poll(text).toBe('success Text. error undefined')
    show(Opened, { id: 'weeds' })
    await expect.poll(text).toBe('error skill-not-found error undefined')
    show(Opened, { id: 'roses' }, await otherLibrary())
    await expect.poll(text).toBe('success Other roses. error undefined')
    expect(seen.filter(([id, , name]) => name !== undefined && name !== id)).toEqual([])
    const afterSwap = seen.slice(seen.findLastIndex(([id]) => id === 'weeds') + 1)
    expect(afterSwap[0]).toEqual(['roses', 'pending', undefined])
  })

  it('[BY-18] another id aborts what is being opened', async () => {
    await using library = await openLibrary(countedSource(), { embedder: false })
    const signals: (AbortSignal | undefined)[] = []
    vi.spyOn(library, 'get').mockImplementation((_, options) => {
      signals.push(options?.signal)
      return new Promise(() => {})
    })
    function Opened({ skills, id }: { skills: Skills; id: string }) {
      return h('p', null, useSkill({ skills, id }).status)
    }
    show(Opened, { id: 'roses' }, library)
    await expect.poll(() => signals.length).toBeGreaterThan(0)
    show(Opened, { id: 'tulips' }, library)
    await expect.poll(() => signals.at(-1)?.aborted).toBe(false)
    await expect.poll(() => signals.slice(0, -1).every(signal => signal?.aborted)).toBe(true)
    unmount()
    expect(signals.every(signal => signal?.aborted)).toBe(true)
  })

  it('[BY-18] hydrating finds what the server rendered', async () => {
    const errors = vi.spyOn(console, 'error')
    const source = countedSource()
    const app = h(Search, { input: source, message: 'prune roses' })
    stage.innerHTML = '<p>pending 0: …</p>'
    root = hydrateRoot(stage, app)
    await expect.poll(text).toBe('success 2: roses')
    expect(errors).not.toHaveBeenCalled()
  })
})
