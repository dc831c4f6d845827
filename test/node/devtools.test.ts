import { SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { expect, it, vi } from 'vitest'
import { traceSession } from '../../examples/tracing/trace-session.js'
import { callTool, createSession, type SessionActivity } from '../../src/exports/session.js'
import { openFiles } from './agent-world.js'

async function start() {
  const { library } = await openFiles()
  const session = createSession(library)
  const activities: SessionActivity[] = []
  const stop = session.on('activity', activity => activities.push(activity))
  return { session, activities, stop }
}

it('[BY-19] a session reports what it did, with skills, tokens and durations', async () => {
  const { session, activities, stop } = await start()
  const { tail } = await session.prepare('check this invoice before I pay it')
  await callTool(session, 'load_skill', { skill: 'invoice-check' })
  await callTool(session, 'read_skill_file', { skill: 'invoice-check', path: 'rates.csv' })
  session.prune(['Read'])
  session.rehydrate([])
  session.unload('invoice-check')
  await expect(session.load('coffee')).rejects.toThrow()
  expect(
    activities.map(({ type, tool, skill, path, error }) => [type, tool ?? skill, path, error]),
  ).toEqual([
    ['prepare', undefined, undefined, undefined],
    ['load', 'mine/invoice-check', undefined, undefined],
    ['tool', 'load_skill', undefined, undefined],
    ['read', 'mine/invoice-check', 'rates.csv', undefined],
    ['tool', 'read_skill_file', undefined, undefined],
    ['prune', undefined, undefined, undefined],
    ['rehydrate', undefined, undefined, undefined],
    ['unload', 'mine/invoice-check', undefined, undefined],
    ['load', 'coffee', undefined, 'skill-not-found'],
  ])
  expect(tail).toContain('invoice-check')
  expect(activities[0]?.matches?.[0]?.id).toBe('mine/invoice-check')
  expect(activities[5]?.tools).toEqual(['Read'])
  expect(activities[6]?.skills).toEqual(['mine/invoice-check'])
  for (const { tokens } of activities.slice(0, 3)) expect(tokens).toBeGreaterThan(0)
  for (const { duration, startedAt } of activities) {
    expect(duration).toBeGreaterThanOrEqual(0)
    expect(startedAt).toBeGreaterThan(0)
  }
  stop()
  await session.prepare('tea')
  expect(activities).toHaveLength(9)
})

it('[BY-19] a model without tools: the skill that prepare opens is reported', async () => {
  const { session, activities } = await start()
  await session.prepare('check this invoice before I pay it', { tools: 'none' })
  expect(activities.map(({ type }) => type)).toEqual(['load', 'read', 'prepare'])
  expect(activities.at(-1)?.skills).toEqual(['mine/invoice-check'])
})

it('[BY-19] errors of a listener are reported, and do not affect the session', async () => {
  const { session, activities } = await start()
  const reported: unknown[] = []
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error))
  const failure = new Error('listener')
  session.on('activity', () => {
    throw failure
  })
  await session.load('tea')
  vi.unstubAllGlobals()
  expect(reported).toEqual([failure])
  expect(activities).toHaveLength(1)
  expect(() => session.on('change' as 'activity', () => {})).toThrow('The only event is "activity"')
})

it('[BY-19] traceSession writes spans with the GenAI names of OpenTelemetry', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const { session } = await start()
  const stop = traceSession(session, provider.getTracer('skillshelf'))
  await session.prepare('check this invoice before I pay it')
  await callTool(session, 'load_skill', { skill: 'coffee' })
  stop()
  await session.load('tea')
  const spans = exporter.getFinishedSpans()
  expect(spans.map(({ name }) => name)).toEqual([
    'retrieval',
    'load coffee',
    'execute_tool load_skill',
  ])
  const attributes = {
    'gen_ai.operation.name': 'retrieval',
    'skillshelf.matches': ['mine/invoice-check'],
  }
  expect(spans[0]?.attributes).toMatchObject(attributes)
  expect(spans[1]?.attributes['error.type']).toBe('skill-not-found')
  expect(spans[1]?.status.code).toBe(SpanStatusCode.ERROR)
  expect(spans[2]?.attributes).toMatchObject({
    'gen_ai.tool.name': 'load_skill',
    'error.type': 'tool-error',
  })
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('before I pay')
})

it('[BY-19] spans have the skill attributes of OpenTelemetry: of the skill that was used, if it is one', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const { session } = await start()
  traceSession(session, provider.getTracer('skillshelf'))
  const run = async (name: string, input: object) => {
    exporter.reset()
    await callTool(session, name, input)
    return exporter
      .getFinishedSpans()
      .map(({ name, attributes }) => [
        name,
        Object.fromEntries(
          Object.entries(attributes).filter(([key]) => key.includes('gen_ai.skill')),
        ),
      ])
  }
  const skill = {
    'gen_ai.skill.name': 'invoice-check',
    'gen_ai.skill.source.uri': 'skill://mine/invoice-check',
  }
  expect(await run('load_skill', { skill: 'invoice-check' })).toEqual([
    ['load mine/invoice-check', skill],
    ['execute_tool load_skill', skill],
  ])
  const file = { ...skill, 'gen_ai.skill.resource.name': 'rates.csv' }
  expect(await run('read_skill_file', { skill: 'invoice-check', path: 'rates.csv' })).toEqual([
    ['read mine/invoice-check', file],
    ['execute_tool read_skill_file', file],
  ])
  const unknown = await run('load_skill', { skill: 'coffee' })
  expect(unknown).toEqual([
    ['load coffee', {}],
    ['execute_tool load_skill', {}],
  ])
  expect(await run('search_skills', { query: 'tea' })).toEqual([['execute_tool search_skills', {}]])
})
