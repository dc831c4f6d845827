import { asSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { ConnectOptions } from './options.js'

/**
 * The header that shows a token.
 * @throws SkillshelfError `not-allowed` where there is none to be had, `invalid-input` for what no header can hold
 */
export async function bearer(token: ConnectOptions['token']): Promise<Record<string, string>> {
  if (token === undefined) return {}
  const shown = typeof token === 'function' ? await asked(token) : token
  if (typeof shown !== 'string' || !/^[\x21-\x7e]+$/.test(shown))
    throw new SkillshelfError('invalid-input', 'The token is not visible ASCII without blanks', {
      hint: 'give the token alone, without "Bearer"',
    })
  return { authorization: `Bearer ${shown}` }
}

async function asked(token: () => string | Promise<string>): Promise<string> {
  try {
    return await token()
  } catch (error) {
    throw asSkillshelfError(error, 'not-allowed', 'There is no token')
  }
}
