import { parseSkill } from '../../../skill/parse.js'

/** The fences that other clients require: at the start of the file, with nothing else on the line. */
const FENCED = /^---\r?\n([\s\S]*?)\r?\n---/

/** Diagnostics of YAML that our parser accepts and other clients do not. */
const NOT_PLAIN = /^(?:yaml-|frontmatter-|too-large$)/

/** Why a client that reads plain YAML only cannot install a SKILL.md. */
export interface FrontmatterProblem {
  /** A clause: `it has no name`. */
  reason: string
  line?: number
  hint: string
}

/** Checks that clients which read plain YAML only can install a SKILL.md. */
export async function findFrontmatterProblem(bytes: Uint8Array): Promise<FrontmatterProblem | undefined> {
  const [, frontmatter] = FENCED.exec(new TextDecoder().decode(bytes)) ?? []
  if (frontmatter === undefined)
    return {
      reason: 'it does not start with a frontmatter between two lines ---',
      line: 1,
      hint: 'start the file with ---, name and description, and ---',
    }
  const { fields, diagnostics } = await parseSkill(`---\n${frontmatter}\n---\n`, { infer: false })
  const problem = diagnostics.find(({ code }) => NOT_PLAIN.test(code))
  if (problem)
    return {
      reason: 'its frontmatter is not plain YAML',
      line: problem.line ?? 2,
      hint: problem.hint ?? 'run: skillshelf validate',
    }
  for (const field of ['name', 'description']) {
    const value = fields[field] ?? ''
    if (typeof value !== 'string') return { reason: `its ${field} is not text`, hint: 'put it in quotes' }
    if (value.trim() === '') return { reason: `it has no ${field}`, hint: `add ${field}: to the frontmatter` }
  }
  return undefined
}
