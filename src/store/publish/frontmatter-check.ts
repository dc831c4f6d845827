import { parseSkill } from '../../skill/parse.js'

/** Fences as clients of well-known skills look for them: nothing before the first, nothing else on its line. */
const FENCED = /^---\r?\n([\s\S]*?)\r?\n---/

/** What is said of a frontmatter that was read all the same. */
const NOT_PLAIN = /^(?:yaml-|frontmatter-|too-large$)/

/** Why a client that reads plain YAML alone cannot install a SKILL.md, as a clause; and how to mend it. */
export interface Unreadable {
  why: string
  line?: number
  hint: string
}

/** What keeps such clients from a SKILL.md; `undefined` where nothing does. */
export async function unreadableFor(bytes: Uint8Array): Promise<Unreadable | undefined> {
  const [, frontmatter] = FENCED.exec(new TextDecoder().decode(bytes)) ?? []
  if (frontmatter === undefined)
    return {
      why: 'it does not start with a frontmatter between two lines ---',
      line: 1,
      hint: 'start the file with ---, name and description, and ---',
    }
  const { fields, diagnostics } = await parseSkill(`---\n${frontmatter}\n---\n`, { infer: false })
  const problem = diagnostics.find(({ code }) => NOT_PLAIN.test(code))
  if (problem)
    return {
      why: 'its frontmatter is not plain YAML',
      line: problem.line ?? 2,
      hint: problem.hint ?? 'see what is wrong with: skillshelf validate',
    }
  for (const field of ['name', 'description']) {
    const value = fields[field] ?? ''
    if (typeof value !== 'string') return { why: `its ${field} is not text`, hint: 'put it in quotes' }
    if (value.trim() === '') return { why: `it has no ${field}`, hint: `add ${field}: to the frontmatter` }
  }
  return undefined
}
