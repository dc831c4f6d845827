import type { Scheduler } from 'fast-check'
import { expect } from 'vitest'
import { isSkillshelfError } from '../../src/core/errors.js'
import { loadDeclaredModules } from '../../src/core/load-module.js'
import type { LibraryChange, LocalLibrary, SkillLibrary } from '../../src/exports/index.js'
import type { LearnedMessage } from '../../src/library/api/learned-messages.js'
import { type Answers, answersOf, rebuilt } from './oracle.js'
import { type Run, startRun } from './run.js'
import { applied, type Change, filesOf, type Tree } from './skills.js'
import { type Action, changesOf, type Step } from './steps.js'
import { type CreateWorld, learning, NAME, type World } from './worlds.js'

/** A library under test: what its files are, and what its reader was told. */
interface Trace {
  run: Run
  world: World
  library: SkillLibrary
  /** The files as they are. */
  tree: Tree
  /** The files that a library can show: all states that steps went through since the last check. */
  seen: Tree[]
  learned: { messages: readonly LearnedMessage[] }
  /** Changes that the library reported since the last check. */
  events: LibraryChange[]
  /** What the library answered at the last check. */
  before: Answers
}

/**
 * Takes the steps in a new world, and checks the library after each. Returns the number of operations of the last step.
 * @param checkFrom The index of the first step that is checked.
 */
export async function runTrace(
  createWorld: CreateWorld,
  steps: readonly Step[],
  { order, seed, checkFrom = 0 }: { order: Scheduler; seed: number; checkFrom?: number },
): Promise<number> {
  // A module that loads meanwhile looks like nothing to do: the clock would pass.
  await loadDeclaredModules()
  const run = startRun(order, seed)
  let operations = 0
  let trace: Trace | undefined
  try {
    const world = await run.quietly(() => createWorld(run))
    const learned = { messages: [] }
    const empty = await rebuiltOnce({}, world.learns ? [] : undefined)
    const parts = { run, world, tree: {}, seen: [{}], learned, events: [], before: empty }
    trace = { ...parts, library: await run.quietly(() => open(parts)) }
    listen(trace)
    for (const [at, step] of steps.entries()) {
      operations = await take(trace, step)
      if (at >= checkFrom) await check(trace)
    }
    await run.quietly(async () => (trace as Trace).library.refresh())
    if (!world.isDown?.()) trace.seen = [trace.tree]
    // A copy whose store failed stays in memory until the library is opened again.
    if (isInMemory(trace.library)) {
      await run.quietly(() => reopen(trace as Trace))
      await run.quietly(async () => (trace as Trace).library.refresh())
    }
    await check(trace)
    await compareWithNewcomer(trace)
  } finally {
    if (trace) {
      const { library, world } = trace
      await run
        .quietly(async () => {
          await library.close()
          await world.close?.()
        })
        .catch(() => undefined)
    }
    run.end()
  }
  return operations
}

function isInMemory({ snapshot }: SkillLibrary): boolean {
  return snapshot.diagnostics.some(({ code }) => code === 'copy-not-stored')
}

function open({ run, world, learned }: Pick<Trace, 'run' | 'world' | 'learned'>) {
  return world.open(world.learns ? learning(run, learned) : {})
}

function listen(trace: Trace): void {
  const { library } = trace
  library.on('change', change => {
    if (trace.library === library) trace.events.push(change)
  })
}

async function reopen(trace: Trace, { close = true } = {}): Promise<void> {
  if (close) await trace.library.close()
  trace.library = await open(trace)
  const isForgetful = trace.library.snapshot.diagnostics.some(
    ({ code }) => code === 'learned-unreadable',
  )
  // Without its messages it works, but not like one that has them.
  if (isForgetful) return reopen(trace)
  trace.events = []
  trace.before = { ...trace.before, list: await trace.library.list(), skills: {} }
  listen(trace)
}

/** Takes a step. What failed is tried again without a failure, and must then succeed. */
async function take(trace: Trace, step: Step): Promise<number> {
  const { run, world } = trace
  const fault = world.holdsLocks && step.fault?.failure === 'crash' ? undefined : step.fault
  const before = trace.tree
  const changes = changesOf(step, before)
  const after = changes.reduce(applied, before)
  const others = step.actions.filter(action => action.do !== 'change')
  const first = others.filter(action => action.do !== 'reopen')
  const reopens = others.length > first.length
  let failed = false
  const { operations, crashed } = await run.withFault(fault, async signal => {
    const work = [
      ...(changes.length > 0 ? [world.change(changes, after, signal)] : []),
      ...first.map(action => act(trace, action, after, signal)),
    ]
    for (const { status } of await Promise.allSettled(work)) failed ||= status === 'rejected'
    if (failed && !fault) await Promise.all(work)
    if (!reopens) return
    try {
      await reopen(trace)
    } catch (error) {
      if (!fault) throw error
      await reopen(trace)
    }
  })
  // A source that cannot be read has no skills for now.
  if (reopens && fault) trace.seen.push({})
  trace.seen = [...trace.seen, ...partial(before, changes), after]
  if (crashed) {
    await run.quietly(async () => {
      await world.restart?.()
      await reopen(trace, { close: false })
    })
  }
  if (failed || crashed) {
    await checkNewcomer(trace, world.isDown?.() ? trace.seen : partial(before, changes))
    await run.settle(async () => {
      const { signal } = new AbortController()
      if (changes.length > 0) await world.change(changes, after, signal)
      for (const action of first) await act(trace, action, after, signal)
    })
  }
  trace.tree = after
  return operations
}

async function act(
  trace: Trace,
  action: Action,
  after: Tree,
  signal: AbortSignal,
): Promise<unknown> {
  const { library, world } = trace
  switch (action.do) {
    case 'change':
    case 'reopen':
      return undefined
    case 'refresh':
      return library.refresh({ signal })
    case 'ask':
      return answersOf(library, { signal })
    case 'learn':
      return world.learns
        ? ignoreMissing(
            (library as LocalLibrary).learn(action.message, `${NAME}/${action.folder}`, { signal }),
          )
        : undefined
    case 'forget':
      return world.learns
        ? (library as LocalLibrary).forget({ skill: `${NAME}/${action.folder}` })
        : undefined
    case 'also': {
      const others = Object.values(world.also ?? {})
      return others[action.number]?.(after, signal)
    }
  }
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  await work.catch(error => {
    if (!isSkillshelfError(error, 'skill-not-found')) throw error
  })
}

/** The files while some of the changes are made. A renamed skill is added, then removed. */
function partial(tree: Tree, changes: readonly Change[]): Tree[] {
  const parts = changes.flatMap((change): Change[] =>
    change.kind === 'rename'
      ? [
          { kind: 'put', folder: change.to, files: filesOf(tree, change.folder) },
          { kind: 'remove', folder: change.folder },
        ]
      : [change],
  )
  let trees: Tree[] = [tree]
  for (const part of parts) trees = [...trees, ...trees.map(one => applied(one, part))]
  return trees
}

const known = new Map<string, Promise<Answers>>()

/** The answers of a library that is built from scratch. Most are asked for more than once. */
function rebuiltOnce(tree: Tree, learned: readonly LearnedMessage[] | undefined): Promise<Answers> {
  const key = JSON.stringify([Object.entries(tree).sort(), learned])
  const answers = known.get(key) ?? rebuilt(tree, learned)
  if (known.size > 2_000) known.clear()
  known.set(key, answers)
  return answers
}

async function expectedOf(trace: Trace, tree: Tree): Promise<Answers> {
  const { world, learned } = trace
  return rebuiltOnce(tree, world.learns ? learned.messages : undefined)
}

/** Checks what the open library answers and has reported, and what another one does that is opened now. */
async function check(trace: Trace): Promise<void> {
  const { run, world, tree } = trace
  await checkNewcomer(trace, world.isDown?.() ? trace.seen : [tree])
  if (mustRefresh(trace)) await run.quietly(() => trace.library.refresh())
  let answers = await run.quietly(() => answersOf(trace.library))
  let shown = await treeOf(trace, answers)
  // A skill that is gone makes the library refresh itself, between two answers.
  if (!shown) {
    answers = await run.quietly(() => answersOf(trace.library))
    shown = await treeOf(trace, answers)
  }
  if (!shown) expect(answers).toEqual(await expectedOf(trace, tree))
  // Opening a file that has changed renews the list.
  if (!world.isLive) expect(trace.library.snapshot.skills).toEqual(answers.list)
  checkEvents(trace, answers)
  trace.before = answers
  trace.events = []
  trace.seen = world.isDown?.() ? [...trace.seen, tree] : [shown ?? tree, tree]
}

/** A library that says that it lacks a skill, or all, has them at the next attempt. */
function mustRefresh({ world, library }: Trace): boolean {
  const isIncomplete = library.snapshot.diagnostics.some(
    ({ code }) => code === 'skill-unreadable' || code === 'source-unreadable',
  )
  return world.expires === true || (isIncomplete && !world.isDown?.())
}

/** The files that a library shows, of those that it can. Without a network, files that were not copied cannot be read. */
async function treeOf(trace: Trace, answers: Answers): Promise<Tree | undefined> {
  for (const tree of [...trace.seen].reverse()) {
    const expected = await expectedOf(trace, tree)
    const isOld = trace.world.isLive && tree !== trace.tree
    if (isSame(trace, isOld ? { ...answers, skills: expected.skills } : answers, expected)) {
      return tree
    }
  }
  return undefined
}

function isSame({ world }: Trace, answers: Answers, expected: Answers): boolean {
  const skills = { ...answers.skills }
  for (const [folder, found] of Object.entries(skills)) {
    if (found === 'source-failed' && world.isDown?.()) skills[folder] = expected.skills[folder]
  }
  return JSON.stringify({ ...answers, skills }) === JSON.stringify(expected)
}

/** Checks that a library which is opened now shows one of these files. */
async function checkNewcomer(trace: Trace, trees: readonly Tree[]): Promise<void> {
  const answers = await trace.run.quietly(() => withNewcomer(trace, answersOf))
  for (const tree of trees) {
    if (isSame(trace, answers, await expectedOf(trace, tree))) return
  }
  expect(answers, 'a library that is opened now').toEqual(
    await expectedOf(trace, trees.at(-1) ?? {}),
  )
}

async function withNewcomer<T>(
  trace: Trace,
  ask: (library: SkillLibrary) => Promise<T>,
): Promise<T> {
  const library = await open(trace)
  try {
    await library.refresh()
    return await ask(library)
  } finally {
    await library.close()
  }
}

/** A library that stayed open is like one that is opened now, also in what nobody rebuilds from files. */
async function compareWithNewcomer(trace: Trace): Promise<void> {
  if (trace.world.isDown?.()) return
  const outline = ({ snapshot: { revision, total, diagnostics } }: SkillLibrary) => ({
    revision,
    total,
    // A store that failed is left out until the library is opened again.
    diagnostics: diagnostics
      .filter(({ code }) => code !== 'copy-not-stored')
      .map(one => JSON.stringify(one))
      .sort(),
  })
  const newcomer = await trace.run.quietly(() =>
    withNewcomer(trace, async library => outline(library)),
  )
  expect(outline(trace.library)).toEqual(newcomer)
}

/** Every change of a skill was reported, and no other. */
function checkEvents({ before, events, world }: Trace, now: Answers): void {
  const ids = ({ list }: Answers) => (list as { id: string }[]).map(({ id }) => id)
  const told = new Set(ids(before))
  const changed = new Set<string>()
  for (const event of events) {
    for (const id of event.added) {
      expect(told, `${id} is added twice`).not.toContain(id)
      told.add(id)
      changed.add(id)
    }
    for (const id of event.removed) {
      expect(told, `${id} is removed, but was not there`).toContain(id)
      told.delete(id)
    }
    for (const id of event.changed) {
      expect(told, `${id} is changed, but was not there`).toContain(id)
      changed.add(id)
    }
  }
  expect([...told].sort(), 'the reported skills').toEqual(ids(now))
  if (world.isLive) return
  for (const [folder, skill] of Object.entries(now.skills)) {
    const old = before.skills[folder]
    const { id } = skill as { id?: string }
    if (id === undefined || typeof old !== 'object' || id !== (old as { id?: string }).id) continue
    const contentOf = (one: unknown) => {
      const { copies: _, ...content } = one as { copies?: unknown }
      return JSON.stringify(content)
    }
    if (contentOf(old) !== contentOf(skill)) expect(changed, `${id} is not reported`).toContain(id)
  }
}
