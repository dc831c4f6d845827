import { SkillshelfError } from '../core/errors.js'

/**
 * The tools of several sessions, and the host's own, as one list. Two of one name are refused: a model could not tell them apart.
 * @throws SkillshelfError `invalid-input`
 */
export function joinTools<Tool extends { readonly name: string }>(...lists: readonly (readonly Tool[])[]): Tool[] {
  const tools = lists.flat()
  const names = tools.map(({ name }) => name)
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
  if (twice.length === 0) return tools
  throw new SkillshelfError('invalid-input', `More than one tool is named ${twice.join(', ')}`, {
    candidates: twice,
    hint: 'offer the tools of one dialect, or rename those of one',
  })
}
