import { createElement as h, StrictMode } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { localMatcher } from '../../src/exports/match.js'
import {
  type OpenSkillsOptions,
  type SkillsInput,
  useMatch,
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

const renders: { library: SkillLibrary | undefined }[] = []

function Search({ input, message = '', options = {}, threshold = 0.1 }: Props) {
  const skills = useSkills(input, options)
  const { matches, pending, error } = useMatch(skills, message, { threshold })
  renders.push({ library: skills.library })
  const found = `${pending ? '…' : ''}${error?.name ?? ''}${matches.map(({ name }) => name).join()}`
  return h('p', null, `${skills.status} ${skills.skills.length}: ${found}`)
}

const stage = document.createElement('div')
document.body.append(stage)
let root: Root | undefined
const render = (props: Props): void => {
  root ??= createRoot(stage)
  root.render(h(StrictMode, null, h(Search, props)))
}
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
    await expect.poll(text).toBe('ready 2: roses')
    render({ input: source, message: 'tulip bulbs', options })
    await expect.poll(text).toBe('ready 2: tulips')
    render({ input: source, message: ' ', options })
    await expect.poll(text).toBe('ready 2: ')
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
    await expect.poll(text).toBe('ready 2: roses')
    const old = renders.at(-1)?.library
    const before = renders.length
    render({ input: second, message: 'prune roses' })
    await expect.poll(() => renders.at(-1)?.library?.snapshot.skills[0]?.origin).toBe('second')
    await expect.poll(text).toBe('ready 2: roses')
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
      if (query === 'prune roses') await promise
      return match(query, { ...options, signal: undefined })
    })
    render({ input: library, message: 'prune roses' })
    await expect.poll(text).toBe('ready 2: …')
    render({ input: library, message: 'tulip bulbs' })
    await expect.poll(text).toBe('ready 2: tulips')
    release()
    expect(signals[0]?.aborted).toBe(true)
    await library.match('tulip bulbs')
    expect(text()).toBe('ready 2: tulips')
    unmount()
    expect((await library.match('tulip bulbs')).matches).toHaveLength(1)
  })

  it('[BY-18] a change of the library matches the message again', async () => {
    const source = memory({ 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nText.' })
    await using library = await openLibrary(source, { embedder: false })
    render({ input: library, message: 'brew tea' })
    await expect.poll(text).toBe('ready 1: tea')
    await source.write({
      put: { 'coffee/SKILL.md': '---\nname: coffee\ndescription: Brews coffee\n---\nText.' },
    })
    await library.refresh()
    await expect.poll(text).toMatch(/^ready 2: tea(,coffee)?$/)
  })

  it('[BY-18] a source that cannot be read fails', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    render({ input: '/nothing-here/', message: 'roses' })
    await expect.poll(text).toMatch(/^failed 0: /)
  })

  it('[BY-18] hydrating finds what the server rendered', async () => {
    const errors = vi.spyOn(console, 'error')
    const source = countedSource()
    const app = h(Search, { input: source, message: 'prune roses' })
    stage.innerHTML = '<p>loading 0: </p>'
    root = hydrateRoot(stage, app)
    await expect.poll(text).toBe('ready 2: roses')
    expect(errors).not.toHaveBeenCalled()
  })
})
