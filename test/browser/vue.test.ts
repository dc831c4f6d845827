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
import { type SkillsInput, useMatch, useSkills } from '../../src/exports/vue.js'
import { countedSource } from './hooks-world.js'

const search = (input: Ref<SkillsInput>, message: Ref<string>) =>
  defineComponent(() => {
    const skills = useSkills(input)
    const { matches, pending } = useMatch(skills, message, { threshold: 0.1 })
    const found = () => (pending.value ? '…' : '') + matches.value.map(({ name }) => name).join()
    return () => h('p', `${skills.status.value} ${skills.skills.value.length}: ${found()}`)
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
    await expect.poll(text).toBe('ready 2: roses')
    message.value = 'tulip bulbs'
    await expect.poll(text).toBe('ready 2: tulips')
    message.value = ''
    await expect.poll(text).toBe('ready 2: ')
    app.unmount()
    app = undefined
    await expect.poll(() => source.closed).toBe(1)
  })

  it('[BY-18] another input closes the library before it, and `undefined` opens nothing', async () => {
    const [first, second] = [countedSource('first'), countedSource('second')]
    const input = shallowRef<SkillsInput>(first)
    const scope = effectScope()
    const skills = scope.run(() => useSkills(input)) as ReturnType<typeof useSkills>
    await expect.poll(() => skills.skills.value[0]?.origin).toBe('first')
    input.value = second
    expect(skills.status.value).toBe('loading')
    await expect.poll(() => skills.skills.value[0]?.origin).toBe('second')
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
    const skills = scope.run(() => useSkills(source)) as ReturnType<typeof useSkills>
    await expect.poll(() => source.reads).toBeGreaterThan(0)
    scope.stop()
    expect(source.signals.every(signal => signal?.aborted)).toBe(true)
    const { reads } = source
    release()
    await new Promise<void>(resolve => setTimeout(resolve))
    expect(source.reads).toBe(reads)
    expect(skills.status.value).toBe('loading')
  })

  it('[BY-18] an open library stays open', async () => {
    await using library = await openLibrary(countedSource(), { embedder: false })
    const scope = effectScope()
    const skills = scope.run(() => useSkills(library)) as ReturnType<typeof useSkills>
    await expect.poll(() => skills.status.value).toBe('ready')
    scope.stop()
    expect((await library.match('prune roses')).matches).toHaveLength(1)
  })

  it('[BY-18] hydrating finds what the server rendered', async () => {
    const source = countedSource()
    const component = search(shallowRef(source), ref('prune roses'))
    const warnings = vi.spyOn(console, 'warn')
    stage.innerHTML = '<p>loading 0: …</p>'
    app = createSSRApp(component)
    app.mount(stage)
    await expect.poll(text).toBe('ready 2: roses')
    expect(warnings).not.toHaveBeenCalled()
  })
})
