import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { lazyLibrary } from '../../src/exports/lazy.js'
import { openSkills } from '../../src/ui/state/skills.js'
import { deferred } from '../deferred.js'

const FILES = { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' }
const open = () => openLibrary(memory(FILES), { embedder: false })

it('[CARD-5] a lazy library opens after the code that makes it, once, and its calls wait', async () => {
  let opens = 0
  const { promise: allowed, resolve: allow } = deferred()
  await using library = lazyLibrary(async () => {
    opens++
    await allowed
    return open()
  })
  const changes: unknown[] = []
  library.on('change', change => changes.push(change))
  expect([opens, library.snapshot.skills]).toEqual([0, []])
  const calls = Promise.all([library.match('brew tea'), library.get('tea'), library.list()])
  allow()
  const [{ matches }, { instructions }, skills] = await calls
  expect([matches[0]?.name, instructions, skills.length, opens]).toEqual(['tea', 'Slowly.', 1, 1])
  expect([library.snapshot.skills.length, changes]).toEqual([1, []])
})

it('[CARD-5] a call throws why a lazy library did not open, and the next one opens it again', async () => {
  let isDown = true
  await using library = lazyLibrary(async () => {
    if (isDown) throw new Error('down')
    return open()
  })
  await expect(library.match('brew tea')).rejects.toThrow('down')
  isDown = false
  expect((await library.match('brew tea')).matches).toHaveLength(1)
})

it('[CARD-5] a lazy library that is closed or aborted does not wait', async () => {
  const { promise: opened, resolve } = deferred()
  let closes = 0
  const library = lazyLibrary(async () => {
    await opened
    const inner = await open()
    return Object.assign(inner, { close: async () => void closes++ })
  })
  const abort = new AbortController()
  const aborted = library.match('brew tea', { signal: abort.signal })
  abort.abort()
  await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
  await library.close()
  await expect(library.match('brew tea')).rejects.toMatchObject({ code: 'closed' })
  resolve()
  await expect.poll(() => closes).toBe(1)
})

it('[BY-18] a user interface waits for a lazy library, and shows why it did not open', async () => {
  const { promise: allowed, resolve: allow } = deferred()
  await using library = lazyLibrary(async () => {
    await allowed
    return open()
  })
  const skills = openSkills(library, {}, () => {})
  expect(skills.state.status).toBe('pending')
  allow()
  await expect.poll(() => skills.state.data?.skills.length).toBe(1)
  skills.close()
  const broken = openSkills(
    lazyLibrary(async () => Promise.reject(new Error('down'))),
    {},
    () => {},
  )
  await expect.poll(() => broken.state.error?.message).toBe('down')
})
