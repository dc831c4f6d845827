import { afterEach, expect, it, vi } from 'vitest'
import { defineSkillActivity } from '../../demo/agent/activity/skill-activity.js'
import { openLibrary } from '../../src/exports/index.js'
import { callTool, createSession } from '../../src/exports/session.js'

const library = await openLibrary(
  {
    'slides/SKILL.md': `---\nname: slides\ndescription: Makes slides for a talk.\n---\n${'One slide, one idea. '.repeat(40)}\n`,
    'slides/style.md': 'Large letters.',
    'roses/SKILL.md': `---\nname: roses\ndescription: Prunes roses.\n---\n${'Cut above a bud. '.repeat(40)}\n`,
  },
  { embedder: false },
)
defineSkillActivity()

const elements: Element[] = []
function show(lang?: string) {
  const element = document.createElement('skill-activity')
  if (lang) element.lang = lang
  document.body.append(element)
  elements.push(element)
  const text = () => element.shadowRoot?.textContent ?? ''
  const lines = () =>
    [...(element.shadowRoot?.querySelectorAll('[part~=activity] > :first-child') ?? [])].map(
      one => one.textContent,
    )
  const tokens = (part: string) =>
    Number(
      element.shadowRoot?.querySelector(`[data-part=${part}] td`)?.textContent?.replace(/\D/g, ''),
    )
  const costs = () =>
    [...(element.shadowRoot?.querySelectorAll('.cost-bars div') ?? [])].map(
      way => `${way.className} ${way.querySelector('dd')?.textContent}`,
    )
  return { element, text, lines, tokens, costs }
}
afterEach(() => {
  for (const element of elements.splice(0)) element.remove()
})

it('[BY-19] the panel shows what a session did, turn by turn, with the tokens of its ledger', async () => {
  const session = createSession(library, { system: 100 })
  const { element, lines, text, tokens } = show()
  element.session = session
  await vi.waitUntil(() => text().includes('Nothing yet.'))
  await session.prepare({ message: 'make slides for my talk', history: [] })
  await callTool(session, 'load_skill', { skill: 'slides' })
  await callTool(session, 'read_skill_file', { skill: 'slides', path: 'style.md' })
  await callTool(session, 'load_skill', { skill: 'nothing' })
  await session.prepare({ message: 'prune my roses', history: [] })
  await vi.waitUntil(() => text().includes('Turn 2'))
  expect(lines()).toEqual([
    expect.stringMatching(/^Matched slides \d+%$/),
    'Ran load_skill',
    'Opened slides',
    'Ran read_skill_file',
    'Read slides/style.md',
    expect.stringContaining('Ran load_skill'),
    'Opened nothing: failed: skill-not-found',
    expect.stringMatching(/^Matched roses \d+%$/),
  ])
  const ledger = session.ledger()
  for (const part of ['system', 'metadata', 'instructions', 'toolResults'] as const) {
    expect(tokens(part)).toBe(ledger[part].tokens)
  }
  expect(tokens('instructions')).toBeGreaterThan(0)
  expect(tokens('total')).toBe(ledger.total)
  session.observe([{ role: 'user', content: 'one more message' }])
  element.update()
  await vi.waitUntil(() => tokens('messages') === session.ledger().messages.tokens)
})

it('[BY-19] the panel compares the tokens of skills with all names listed and with everything inlined', async () => {
  const others = ['oaks', 'pines', 'elms', 'ferns', 'reeds', 'limes', 'firs', 'palms'].map(name => [
    `${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: Waters ${name} in a dry summer, in the morning.\n---\nWater.\n`,
  ])
  await using many = await openLibrary(
    {
      'slides/SKILL.md': `---\nname: slides\ndescription: Makes slides for a talk.\n---\n${'One slide, one idea. '.repeat(40)}\n`,
      ...Object.fromEntries(others),
    },
    { embedder: false },
  )
  const session = createSession(many, { catalogTokens: 0 })
  const { element, costs, text } = show()
  element.session = session
  await session.prepare({ message: 'make slides for my talk', history: [] })
  await callTool(session, 'load_skill', { skill: 'slides' })
  await vi.waitUntil(() => text().includes('Opened slides'))
  const sum = (kind: 'metadata' | 'instructions') =>
    many.snapshot.skills.reduce((all, { tokens }) => all + tokens[kind], 0)
  const { instructions, metadata, references } = session.ledger()
  expect(metadata.tokens).toBeLessThan(sum('metadata'))
  const opened = instructions.tokens + references.tokens
  expect(costs()).toEqual([
    `listed ${sum('metadata') + opened}`,
    `skillshelf ${metadata.tokens + opened}`,
    `inlined ${sum('metadata') + sum('instructions')}`,
  ])
  expect(text()).not.toContain('saved')
})

it('[BY-19] the panel follows one session, speaks Chinese, and stops when it gets another', async () => {
  const [one, other] = [createSession(library), createSession(library)]
  const { element, text } = show('zh-CN')
  element.session = one
  await one.prepare({ message: 'make slides for my talk', history: [] })
  await vi.waitUntil(() => text().includes('第 1 轮'))
  expect(text()).not.toMatch(/Turn|tokens|Matched/)
  element.session = other
  await one.prepare({ message: 'prune my roses', history: [] })
  await vi.waitUntil(() => text().includes('暂无活动'))
  await other.prepare({ message: 'prune my roses', history: [] })
  await vi.waitUntil(() => text().includes('roses'))
  expect(element.activities.map(({ type }) => type)).toEqual(['prepare'])
  element.clear()
  await vi.waitUntil(() => text().includes('暂无活动'))
})
