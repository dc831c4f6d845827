import { SkillshelfError } from '../../core/errors.js'
import { estimateTokens, type TokenCounter } from '../../core/tokens.js'
import type { SkillLibrary } from '../../library/types.js'
import { defaultDialect } from './tools/default-dialect.js'
import type { Budgets, Dialect, SessionOptions } from './types.js'
import { visibleDialect } from './visible-dialect.js'

const CONTEXT_TOKENS = 128_000
const CATALOG_TOKENS = 2_000
/** Instructions of 99.9 % of published skills cost less than `skill`. */
export const BUDGETS: Budgets = {
  skill: 20_000,
  share: 0.9,
  system: 2_000,
  metadata: 100,
  instructions: 5_000,
  reference: 3_000,
}

export interface ResolvedOptions {
  contextTokens: number
  catalogTokens: number
  countTokens: TokenCounter
  dialect: Dialect
  budgets: Budgets
  /** Tokens of the host's own system prompt. */
  systemTokens: () => number
}

/**
 * Applies the defaults and checks every value.
 * @throws SkillshelfError `invalid-input`
 */
export function resolveOptions(library: SkillLibrary, options: SessionOptions): ResolvedOptions {
  const {
    contextTokens = CONTEXT_TOKENS,
    catalogTokens = CATALOG_TOKENS,
    countTokens = estimateTokens,
    dialect = defaultDialect,
    system = 0,
  } = options
  if (typeof library?.snapshot !== 'object')
    throw new SkillshelfError('invalid-input', '"library" must be an open library', {
      hint: 'pass the result of await openLibrary(…)',
    })
  if (typeof dialect?.tools !== 'function')
    throw new SkillshelfError('invalid-input', `"dialect" must be a dialect, not ${JSON.stringify(dialect)}`, {
      hint: "import one from 'skillshelf/dialects': { dialect: openseed }",
    })
  const budgets = { ...BUDGETS, ...dialect.budgets, ...options.budgets }
  for (const [name, value] of Object.entries({ contextTokens, catalogTokens, ...budgets }))
    if (typeof value !== 'number' || !(value >= 0) || (name === 'contextTokens' && value === 0)) {
      const wanted = name === 'contextTokens' ? 'a positive number' : 'a non-negative number'
      throw new SkillshelfError('invalid-input', `"${name}" must be ${wanted}, not ${String(value)}`)
    }
  return {
    contextTokens,
    catalogTokens,
    countTokens,
    dialect: visibleDialect(dialect),
    budgets,
    systemTokens: () => (typeof system === 'number' ? system : countTokens(system)),
  }
}
