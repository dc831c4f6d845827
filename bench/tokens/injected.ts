import {
  agentCore,
  manusX,
  omniEmployee,
  openseed,
  tokenDance,
} from '../../src/exports/dialects.js'
import { openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { directory } from '../../src/source/directory/directory.js'

/**
 * What opening a skill puts into the prompt, over the folders of real skills, a row for each dialect: tokens of the bodies, what the session
 * counts, and what is injected.
 */
export async function injectedRows(
  folder: string,
  countTokens: (text: string) => number,
): Promise<string[][]> {
  await using library = await openLibrary(directory(folder), { embedder: false })
  const rows: string[][] = []
  const dialects = [openseed, manusX, agentCore, omniEmployee, tokenDance]
  const kinds = [
    { what: 'skillshelf', options: {} },
    { what: 'skillshelf, sections: false', options: { sections: false } },
    ...dialects.map(dialect => ({ what: dialect.name, options: { dialect } })),
  ]
  for (const { what, options: own } of kinds) {
    const budgets = { skill: Number.POSITIVE_INFINITY }
    const options = { ...own, budgets, contextTokens: 1e6, catalogTokens: 0 }
    const sum = { body: 0, counted: 0, injected: 0, skills: 0, most: 0 }
    // The session counts by the estimate, as it does by default.
    const session = createSession(library, options)
    for (const { id } of library.snapshot.skills) {
      const { skill, tokens } = await session.load(id)
      const injected = session.open
        .map(open => countTokens(session.dialect.skillText(session, open)))
        .reduce((total, one) => total + one, 0)
      sum.body += countTokens(skill.instructions)
      sum.counted += tokens
      sum.injected += injected
      sum.most = Math.max(sum.most, injected)
      sum.skills++
      session.unload(id)
    }
    const percent = (part: number): string => ((100 * part) / sum.injected).toFixed(1)
    rows.push([
      what,
      String(sum.skills),
      String(sum.injected),
      percent(sum.body),
      percent(sum.counted),
      String(sum.most),
    ])
  }
  return rows
}
