import type { Found } from './private-keys.js'

/** Tokens of services, by their shape. Only shapes that nothing else has: a pack must not stop for a text that is no secret. */

interface TokenShape {
  kind: string
  /** How it starts: searched first, because that is fast. */
  start: string
  /** What follows. At most a few hundred characters, so that a file of starts takes linear time. */
  rest: RegExp
}

const BASE62 = 'A-Za-z0-9'
const URL_SAFE = String.raw`${BASE62}_\-`
const of = (
  kind: string,
  start: string,
  characters: string,
  least: number,
  most = least,
): TokenShape => ({
  kind,
  start,
  rest: new RegExp(`[${characters}]{${least},${most}}(?![${characters}])`, 'y'),
})
const LONG = 300

const SHAPES: readonly TokenShape[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map(start =>
    of('a token of GitHub', start, BASE62, 36, LONG),
  ),
  of('a token of GitHub', 'github_pat_', `${BASE62}_`, 50, LONG),
  ...['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glsoat-', 'glft-', 'glagent-'].map(start =>
    of('a token of GitLab', start, `${URL_SAFE}.`, 20, LONG),
  ),
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxe.xoxp-', 'xoxc-', 'xoxd-'].map(
    start => of('a token of Slack', start, String.raw`${BASE62}%\-`, 24, LONG),
  ),
  of('a token of Slack', 'xapp-', String.raw`${BASE62}\-`, 40, LONG),
  of('a webhook of Slack', 'hooks.slack.com/services/', `${BASE62}/`, 40, 80),
  ...['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'sk_org_live_'].map(start =>
    of('a key of Stripe', start, BASE62, 24, LONG),
  ),
  of('a secret of Stripe', 'whsec_', `${BASE62}+/=`, 32, 80),
  ...['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'].map(start =>
    of('a key of OpenAI', start, URL_SAFE, 40, LONG),
  ),
  ...['sk-ant-api', 'sk-ant-admin', 'sk-ant-oat', 'sk-ant-sid', 'sk-ant-ort'].map(start =>
    of('a key of Anthropic', start, URL_SAFE, 40, LONG),
  ),
  of('a key of OpenRouter', 'sk-or-v1-', '0-9a-f', 64),
  // OpenAI before 2024, DeepSeek and others.
  of('a key such as those of OpenAI', 'sk-', BASE62, 32, 64),
  of('a key of Google', 'AIza', URL_SAFE, 35),
  of('a client secret of Google', 'GOCSPX-', URL_SAFE, 28),
  of('an access token of Google', 'ya29.', URL_SAFE, 60, LONG),
  of('a refresh token of Google', '1//0', URL_SAFE, 40, LONG),
  of('a token of npm', 'npm_', BASE62, 36),
  of('a token of PyPI', 'pypi-AgE', URL_SAFE, 50, LONG),
  of('a token of Hugging Face', 'hf_', BASE62, 34, 40),
  of('a key of SendGrid', 'SG.', `${URL_SAFE}.`, 60, 80),
  of('a token of DigitalOcean', 'dop_v1_', '0-9a-f', 64),
  of('a key of Groq', 'gsk_', BASE62, 52),
  of('a key of xAI', 'xai-', BASE62, 80),
  of('a key of Perplexity', 'pplx-', BASE62, 48),
  of('a token of Notion', 'ntn_', BASE62, 40, 60),
  of('a key of Linear', 'lin_api_', BASE62, 40),
  of('a token of Shopify', 'shpat_', '0-9a-fA-F', 32),
  of('a key of RubyGems', 'rubygems_', '0-9a-f', 48),
  of('a token of Vault', 'hvs.', URL_SAFE, 80, LONG),
  of('a token of Doppler', 'dp.st.', `${BASE62}.`, 40, 80),
  of('a token of Databricks', 'dapi', '0-9a-f', 32),
  of('a token of Replicate', 'r8_', BASE62, 37),
  of('a token of Supabase', 'sbp_', '0-9a-f', 40),
  of('a token of Figma', 'figd_', URL_SAFE, 40, 60),
  of('a token of Atlassian', 'ATATT3', `${URL_SAFE}=`, 100, LONG),
  of('a token of Sentry', 'sntrys_', `${BASE62}+/=_`, 60, LONG),
  of('a token of Fly', 'fm2_', `${BASE62}+/=_`, 100, LONG),
  of('a key of Tavily', 'tvly-', String.raw`${BASE62}\-`, 32, 60),
  of('a key of Azure Storage', 'AccountKey=', `${BASE62}+/=`, 86, 88),
]

/** Keys that the documentation of a service shows to everyone. */
const PUBLISHED = /4eC39HqLyjWDarjtT1zdp7dc|BQokikJOvBiI2HlWgH4olfQ2|tR3PYbcVNZZ796tH88S4VQ2u/

/** Finds a token in a text. @param strict A document, which may show what a token looks like. */
export function findToken(text: string, strict: boolean): Found | undefined {
  for (const { kind, start, rest } of SHAPES) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + start.length)) {
      if (
        /[A-Za-z0-9_]/.test(text.charAt(at - 1)) ||
        (start === 'sk-' && text.charAt(at - 1) === '-')
      ) {
        continue
      }
      rest.lastIndex = at + start.length
      const token = rest.exec(text)?.[0]
      if (token !== undefined && !isPlaceholder(token, strict)) return { kind, at }
    }
  }
  return findAwsSecret(text, strict)
}

const AWS_ID = /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g
const AWS_NAMES = [
  'aws_secret_access_key',
  'AWS_SECRET_ACCESS_KEY',
  'ecretAccessKey',
  'ecret_access_key',
]
const AWS_NAMED = /['"]?[ \t]{0,10}[:=][ \t]{0,10}['"]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/y
/** Characters between an id and its secret. */
const AWS_WINDOW = 300
/** Ids that are looked at: a list of ids has no secrets. */
const MAX_IDS = 1_000

/** The id of an AWS key is public. Its secret has no shape of its own, so it counts beside an id or a name. */
function findAwsSecret(text: string, strict: boolean): Found | undefined {
  const isSecret = (value: string): boolean =>
    /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value) && !isPlaceholder(value, strict)
  for (const name of AWS_NAMES) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      AWS_NAMED.lastIndex = at + name.length
      if (isSecret(AWS_NAMED.exec(text)?.[1] ?? '')) return { kind: 'a secret key of AWS', at }
    }
  }
  if (!text.includes('AKIA') && !text.includes('ASIA')) return undefined
  let ids = 0
  for (const { 0: id, index } of text.matchAll(AWS_ID)) {
    if (++ids > MAX_IDS) break
    if (id.includes('EXAMPLE')) continue
    const near = text.slice(Math.max(0, index - AWS_WINDOW), index + id.length + AWS_WINDOW)
    if ([...near.matchAll(AWS_SECRET)].some(([secret]) => isSecret(secret))) {
      return { kind: 'a key of AWS with its secret', at: index }
    }
  }
  return undefined
}

/** Distinct characters of a token, and of one in a document. */
const MIN_DISTINCT = 6
const MIN_DISTINCT_IN_DOCUMENT = 10
/** Characters in alphabetical order, as people write them who need a token of some length. */
const SEQUENCE = 5

/** True for a value that stands for a token. */
function isPlaceholder(value: string, strict: boolean): boolean {
  if (
    /example|your|placeholder|dummy|fake|redact|changeme|change-me|sample|insert|xxxx|(.)\1{5}/i.test(
      value,
    )
  ) {
    return true
  }
  if (PUBLISHED.test(value)) return true
  const distinct = new Set(value).size
  return (
    distinct < MIN_DISTINCT ||
    (strict && (distinct < MIN_DISTINCT_IN_DOCUMENT || hasSequence(value)))
  )
}

function hasSequence(value: string): boolean {
  let length = 1
  for (let index = 1; index < value.length && length < SEQUENCE; index++) {
    length = value.charCodeAt(index) === value.charCodeAt(index - 1) + 1 ? length + 1 : 1
  }
  return length >= SEQUENCE
}
