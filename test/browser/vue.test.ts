import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type App,
  createApp,
  createSSRApp,
  defineComponent,
  effectScope,
  h,
  type Ref,
  ref,
  shallowRef,
} from 'vue'
import { openLibrary } from '../../src/exports/index.js'
import {
  type SkillsInput,
  useMatch,
  useSearch,
  useSkill,
  useSkillFile,
  useSkills,
} from '../../src/exports/vue.js'
import { countedSource } from './hooks-world.js'

const namesOf = (data: { matches: readonly { name: string }[] } | undefined): string =>
  (data?.matches ?? []).map(({ name }) => name).join()

const search = (input: Ref<SkillsInput>, message: Ref<string>) =>
  defineComponent(() => {
    const skills = useSkills({ input })
    const { data, isFetching } = useMatch({ skills, message, threshold: 0.1 })
    const found = () => (isFetching.value ? '…' : '') + namesOf(data.value)
    const count = () => skills.data.value?.skills.length ?? 0
    return () => h('p', `${skills.status.value} ${count()}: ${found()}`)
  })

const stage = document.createElement('div')
document.body.append(stage)
const text = () => stage.textContent
let app: App | undefined
afterEach(() => {
  app?.unmount()
  app = undefined
  stage.textContent = ''
})

describe('skillshelf/vue', () => {
  it('[BY-18] useSkills opens a library, useMatch matches, and unmounting closes what was opened', async () => {
    const source = countedSource()
    const message = ref('prune roses')
    app = createApp(search(shallowRef(source), message))
    app.mount(stage)
    await expect.poll(text).toBe('success 2: roses')
    message.value = 'tulip bulbs'
    await expect.poll(text).toBe('success 2: tulips')
    message.value = ''
    await expect.poll(text).toBe('success 2: ')
    app.unmount()
    app = undefined
    await expect.poll(() => source.closed).toBe(1)
  })

  it('[BY-18] another input closes the library before it, and `undefined` opens nothing', async () => {
    const [first, second] = [countedSource('first'), countedSource('second')]
    const input = shallowRef<SkillsInput>(first)
    const scope = effectScope()
    const skills = scope.run(() => useSkills({ input })) as ReturnType<typeof useSkills>
    await expect.poll(() => skills.data.value?.skills[0]?.origin).toBe('first')
    input.value = second
    expect(skills.status.value).toBe('pending')
    await expect.poll(() => skills.data.value?.skills[0]?.origin).toBe('second')
    await expect.poll(() => first.closed).toBe(1)
    input.value = undefined
    expect(skills.status.value).toBe('idle')
    await expect.poll(() => second.closed).toBe(1)
    scope.stop()
  })

  it('[BY-18] stopping while the library opens aborts it', async () => {
    const source = countedSource()
    const release = source.hold()
    const scope = effectScope()
    const skills = scope.run(() => useSkills({ input: source })) as ReturnType<typeof useSkills>
    await expect.poll(() => source.reads).toBeGreaterThan(0)
    scope.stop()
    expect(source.signals.every(signal => signal?.aborted)).toBe(true)
    const { reads } = source
    release()
    await new Promise<void>(resolve => setTimeout(resolve))
    expect(source.reads).toBe(reads)
    expect(skills.status.value).toBe('pending')
  })

  it('[BY-18] an open library stays open', async () => {
    await using library = await openLibrary(countedSource(), { embedder: false })
    const scope = effectScope()
    const skills = scope.run(() => useSkills({ input: library })) as ReturnType<typeof useSkills>
    await expect.poll(() => skills.status.value).toBe('success')
    scope.stop()
    expect((await library.match('prune roses')).matches).toHaveLength(1)
  })

  it('[BY-23] useSearch lists a skill that useMatch does not act on', async () => {
    const scope = effectScope()
    const message = ref('prune')
    const { search, match } = scope.run(() => {
      const skills = useSkills({ input: countedSource(), embedder: false })
      return {
        search: useSearch({ skills, message, limit: () => 1 }),
        match: useMatch({ skills, message, threshold: 0.999 }),
      }
    }) as { search: ReturnType<typeof useSearch>; match: ReturnType<typeof useMatch> }
    await expect.poll(() => namesOf(search.data.value)).toBe('roses')
    await expect.poll(() => match.status.value).toBe('success')
    expect([namesOf(match.data.value), match.data.value?.status]).not.toContain('match')
    message.value = ' '
    await expect.poll(() => search.status.value).toBe('idle')
    scope.stop()
  })

  it('[BY-18] useSkill and useSkillFile follow their id', async () => {
    const scope = effectScope()
    const id = ref<string | undefined>()
    const { skill, file } = scope.run(() => {
      const skills = useSkills({ input: countedSource(), embedder: false })
      return {
        skill: useSkill({ skills, id }),
        file: useSkillFile({ skills, id: () => id.value, path: 'care.md' }),
      }
    }) as { skill: ReturnType<typeof useSkill>; file: ReturnType<typeof useSkillFile> }
    expect([skill.status.value, file.status.value]).toEqual(['idle', 'idle'])
    id.value = 'roses'
    await expect.poll(() => file.data.value?.text).toBe('Water them.')
    expect(skill.data.value?.name).toBe('roses')
    id.value = 'weeds'
    await expect.poll(() => skill.error.value).toMatchObject({ code: 'skill-not-found' })
    expect(skill.data.value).toBeUndefined()
    scope.stop()
  })

  it('[BY-18] hydrating finds what the server rendered', async () => {
    const source = countedSource()
    const component = search(shallowRef(source), ref('prune roses'))
    const warnings = vi.spyOn(console, 'warn')
    stage.innerHTML = '<p>pending 0: …</p>'
    app = createSSRApp(component)
    app.mount(stage)
    await expect.poll(text).toBe('success 2: roses')
    expect(warnings).not.toHaveBeenCalled()
  })
})
