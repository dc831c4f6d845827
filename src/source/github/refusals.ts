import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import type { HttpOptions } from '../http/options.js'
import type { FetchableSource, FetchResult } from '../source.js'

/** What an answer of GitHub says beside its status. */
export interface Refusal {
  status: number
  /** The organization demands that the token is authorized for single sign-on. */
  needsSignOn: boolean
  /** The limit of requests is used up. */
  isLimited: boolean
}

export interface RefusalRecorder {
  fetch: NonNullable<HttpOptions['fetch']>
  /** The last answer that refused a request. */
  last(): Refusal | undefined
}

const REFUSED = [403, 429]
/** A ref that GitHub does not know, and a repository without a commit. */
const NO_COMMIT = 422
const EMPTY = 409

/** Remembers why GitHub refuses, which an error does not say. */
export function recordRefusals(fetch: HttpOptions['fetch']): RefusalRecorder {
  let last: Refusal | undefined
  return {
    async fetch(url, init) {
      const response = await (fetch ?? globalThis.fetch)(url, init)
      const { status, headers } = response
      if (REFUSED.includes(status)) {
        last = {
          status,
          needsSignOn: headers.get('x-github-sso') !== null,
          isLimited:
            status === 429 ||
            headers.get('x-ratelimit-remaining') === '0' ||
            headers.get('retry-after') !== null,
        }
      }
      return response
    },
    last: () => last,
  }
}

export interface RequestOptions {
  hasToken: boolean
  refusals: RefusalRecorder
  /** Name of the repository, for errors. */
  label: string
}

/** Requests JSON of the API. @returns `undefined` for what GitHub does not have @throws SkillshelfError that says why GitHub refuses */
export async function requestApi(
  api: FetchableSource,
  path: string,
  { hasToken, refusals, label }: RequestOptions,
): Promise<FetchResult | undefined> {
  try {
    const found = await api.fetch(path)
    return typeof found === 'object' ? found : undefined
  } catch (error) {
    const status = isSkillshelfError(error, 'source-failed') ? error.details.status : undefined
    if (status === NO_COMMIT) return undefined
    if (status === EMPTY) {
      throw new SkillshelfError(
        'source-not-found',
        `${label} is an empty repository`,
        { subject: label, hint: 'push a commit to it' },
        error,
      )
    }
    if (status === undefined || !REFUSED.includes(status)) throw error
    const hint = hintFor(refusals.last(), hasToken)
    const message = `GitHub refused ${path} with ${status}`
    throw new SkillshelfError('source-failed', message, { subject: path, status, hint }, error)
  }
}

function hintFor(refusal: Refusal | undefined, hasToken: boolean): string {
  if (refusal?.needsSignOn) {
    return hasToken
      ? 'its organization demands single sign-on: authorize the token for it in the settings of GitHub'
      : 'its organization demands single sign-on: give a `token` that is authorized for it'
  }
  if (!hasToken) {
    return 'without a token GitHub allows 60 requests an hour for each network: wait, or give `token`'
  }
  return refusal?.isLimited
    ? 'wait until the limit of the token is reset'
    : 'check that the token may read the repository, or wait until its limit is reset'
}

export function notFound(what: string): SkillshelfError {
  return new SkillshelfError('source-not-found', `GitHub has no ${what}`, {
    subject: what,
    hint: 'check the spelling; a private repository needs `token`',
  })
}
