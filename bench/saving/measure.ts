import { memory, openLibrary } from '../../src/exports/index.js'
import { catalogSection, createSession } from '../../src/exports/session.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import type { TestLibrary } from './libraries.js'

/** Mean tokens per turn, and the share of turns whose prompt names the right skill. */
export interface Costs {
  /** The instructions of all skills. */
  inlined: number
  /** Names and descriptions of all skills, and one open skill. */
  listed: number
  /** The prompt of skillshelf, and one open skill. */
  ours: number
  /** The prompt of skillshelf, and three open skills. */
  three: number
  seen: number
}

/** Averages the costs over all messages. */
export async function costOf(
  libraries: readonly TestLibrary[],
  countTokens: (text: string) => number,
): Promise<Costs> {
  const sum: Costs = { inlined: 0, listed: 0, ours: 0, three: 0, seen: 0 }
  let messages = 0
  for (const { skills, messages: queries } of libraries) {
    const files = Object.fromEntries(
      skills.map(({ name, description, body }, at) => [
        `s${at}/SKILL.md`,
        `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${body}`,
      ]),
    )
    await using library = await openLibrary(memory(files), { embedder: bundled() })
    const all = library.snapshot.skills
    const inlined = skills.reduce((total, { body }) => total + countTokens(body), 0)
    const list = countTokens(catalogSection(all))
    const session = createSession(library, { countTokens })
    const opened = async (at: number): Promise<number> => {
      const skill = all.find(({ path }) => path === `s${at}`)
      if (!skill) throw new Error(`no skill ${at}`)
      return countTokens(
        createSession(library).dialect.skillText(createSession(library), {
          skill: await library.get(skill.id),
          tokens: 0,
          references: [],
        }),
      )
    }
    for (const [number, { text, right }] of queries.entries()) {
      const { system, tail } = await session.prepare({ message: text })
      const prompt = countTokens(system) + countTokens(tail)
      const one = await opened(right[0] as number)
      const others = await Promise.all([1, 2].map(step => opened((number + step) % skills.length)))
      sum.inlined += inlined
      sum.listed += list + one
      sum.ours += prompt + one
      sum.three += prompt + one + others.reduce((total, tokens) => total + tokens, 0)
      const named = new Set(
        [...`${system}\n${tail}`.matchAll(/<name>([^<]*)<\/name>/g)].map(([, name]) => name),
      )
      const names = right.flatMap(at => all.filter(({ path }) => path === `s${at}`))
      sum.seen += names.some(({ id, name }) => named.has(id) || named.has(escaped(name))) ? 1 : 0
      messages++
    }
  }
  return Object.fromEntries(
    Object.entries(sum).map(([key, value]) => [key, value / messages]),
  ) as unknown as Costs
}

function escaped(name: string): string {
  return name
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
