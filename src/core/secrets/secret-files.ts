import { basename } from '../paths.js'

/** Files that hold secrets, by their name and as far as it needs, their content. */

interface SecretFile {
  kind: string
  name: RegExp
  /** The folder that the file is in. Default: any. */
  folder?: string
  /** A line that makes it one. Default: any line that is not blank or a comment. */
  line?: RegExp
}

const COMMENTED = /^\s*(?:(?:#(?!HttpOnly_)|;).*)?$/
/** A value that is not a reference to a variable, such as `${TOKEN}`. */
const VALUE = String.raw`\s*[=:]\s*["']?(?!\$|%|<|["'\s]|$)\S`

/** The start of a value that stands for a secret: a variable, a template, or what a reader is to replace. */
const PLACEHOLDER = String.raw`(?:[$%<{]|your|xxx|change|example|replace|\.\.|ENC\[)`
const SECRET_WORD =
  '(?:token|secret|passw(?:or)?d|passphrase|credentials?|(?:private|access|secret|api)_?key)'
/** `db_password = x`, `"token": x` and `refresh-token: x`; also with a blank between, as mail programs have it. */
const SETTING = new RegExp(
  String.raw`^\s*(?:export\s+)?["']?[\w.-]{0,100}?${SECRET_WORD}(?:[_.-][\w-]{1,50})?["']?\s*[=:\s]\s*["']?(?!${PLACEHOLDER}|["']|$)\S{4}`,
  'i',
)
/** Anywhere in a line, because JSON may have one line. */
const JSON_SECRET = new RegExp(
  String.raw`"(?:[\w.-]{0,100}${SECRET_WORD}(?:[_-][\w-]{1,50})?|auth)"\s*:\s*"(?!${PLACEHOLDER}|https?:)[^"\s]{8}`,
  'i',
)
const SHOWS_AN_EXAMPLE = '(?!.*(?:example|sample|template|tmpl|dist))'
const OF_KUBERNETES = {
  kind: 'a file of Kubernetes with credentials',
  line: /^[\s-]*(?:[\w-]{0,50}token|password|client-(?:key-data|secret)):\s*["']?(?![$%<{]|your|["']|$)\S{8}/i,
}

const FILES: readonly SecretFile[] = [
  {
    kind: 'a file of environment variables',
    // `.env.example` and the like show which variables there are.
    name: /^(?!.*(?:example|sample|template|tmpl|dist|schema|defaults)(?:\.env)?$)(?:\.env(?:[._~-].*)?|(?:.*[._-])?(?:prod|production|staging|local|secrets?)\.env|\.dev\.vars)$/i,
    line: /^\s*(?:export\s+)?[A-Za-z_][\w.-]{0,200}\s*[=:]\s*["']?[^\s"'#]/,
  },
  {
    kind: 'a file of environment variables',
    // Other lists of settings are no secret, so the name of a variable has to say that it is one.
    name: /^(?!.*(?:example|sample|template|tmpl|dist|schema|defaults))(?:.+\.env|\.envrc)$/i,
    line: /^\s*(?:export\s+)?\w{0,100}(?:token|secret|passw(?:or)?d|credentials?|private_?key|api_?key)(?:_\w{1,50})?\s*[=:]\s*["']?(?!\$|%|<|your|xxx|change|\.\.|["'\s]|$)\S/i,
  },
  {
    kind: 'a file of cookies',
    name: /^cookies?\.txt$/i,
    line: /^(?:#HttpOnly_)?[^\s#]\S*\t(?:TRUE|FALSE)\t\//,
  },
  { kind: 'a private key', name: /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i },
  {
    kind: 'a file of npm with a token',
    name: /^\.(?:npmrc|yarnrc\.yml)$/i,
    line: new RegExp(`(?:_authToken|_auth|_password|npmAuthToken|npmAuthIdent)${VALUE}`),
  },
  { kind: 'a file of passwords', name: /^[._]netrc$/i },
  {
    kind: 'a file of credentials',
    name: /^(?:credentials|secrets)\.toml$/i,
    line: /^\s*[\w.-]{1,200}\s*=\s*["'](?![<$%]|your|x{3})[^"'\s]{8}/i,
  },
  { kind: 'a file of Docker with a password', name: /^\.docker(?:cfg|configjson)$/i },
  {
    kind: 'a file of Docker with a password',
    name: /^config\.json$/i,
    folder: '.docker',
    line: JSON_SECRET,
  },
  { ...OF_KUBERNETES, name: /^config$/i, folder: '.kube' },
  { ...OF_KUBERNETES, name: /^(?:kubeconfig(?:\.ya?ml)?|.+\.kubeconfig)$/i },
  {
    kind: 'a state of Terraform, which has its secrets as text',
    name: new RegExp(String.raw`^${SHOWS_AN_EXAMPLE}.*\.tfstate(?:\.backup)?$`, 'i'),
    line: /"(?:value|attributes|attributes_flat|primary)"\s*:/,
  },
  {
    kind: 'a file of credentials',
    name: /^(?:\.?credentials|credentials\.tfrc|client_secret.*|application_default_credentials|auth|token|accessTokens|sftp|sftp-config|\.ftpconfig|\.remote-sync)(?:\.json)?$/i,
    line: JSON_SECRET,
  },
  { kind: 'a file of credentials', name: /^kaggle\.json$/i, line: /"key"\s*:\s*"[0-9a-f]{32}"/ },
  {
    kind: 'a file of credentials',
    name: new RegExp(
      String.raw`^${SHOWS_AN_EXAMPLE}(?:.+\.tfvars|\.terraformrc|terraform\.rc|secrets?\.(?:ya?ml|json|ini|properties)|gradle\.properties|\.my\.cnf|\.s3cfg|\.boto|\.databrickscfg|\.?rclone\.conf|\.(?:msmtp|fetchmail|esmtp|wget)rc)$`,
      'i',
    ),
    line: SETTING,
  },
  { kind: 'a file of credentials', name: /^profiles\.ya?ml$/i, folder: '.dbt', line: SETTING },
  {
    kind: 'a file of credentials',
    name: /^(?:pip\.(?:conf|ini)|config)$/i,
    line: /:\/\/[^\s/:@${<]{1,200}:(?![$<{]|your|x{3}|pass(?:word)?@)[^\s/:@]{4,200}@/i,
  },
  {
    kind: 'a file of credentials',
    name: /^(?:settings|settings-security|nuget\.config|sitemanager|recentservers|filezilla)(?:\.xml)?$/i,
    line: /(?:<(?:password|pass|passphrase)\b[^>]{0,100}>|ClearTextPassword"\s+value=")(?![$<{%]|your)[^<"\s]{3}/i,
  },
  {
    kind: 'a file of credentials',
    name: /^wp-config\.php$/i,
    line: /['"]DB_PASSWORD['"]\s*,\s*['"](?!password_here|your|database_password)[^'"]{3}/i,
  },
  {
    kind: 'a file of credentials',
    name: /^(?:\.vault-token|\.passwd-s3fs|pgpass\.conf|\.mylogin\.cnf|access_tokens\.db|credentials\.db|msal_token_cache\.(?:json|bin))$/i,
  },
  { kind: 'a file of PyPI with a password', name: /^\.pypirc$/i },
  {
    kind: 'a file of credentials',
    name: /^(?:\.?credentials|\.git-credentials|\.pgpass|\.htpasswd)$/i,
  },
]

/** True for a name that alone says that the file holds a secret. */
export function isSecretName(path: string): boolean {
  return filesNamed(path).some(({ line }) => line === undefined || /^\.env/i.test(basename(path)))
}

/** What a file is by its name, with the line that makes it one; `undefined` for other files. */
export function secretFile(path: string, text: string): { kind: string; line: number } | undefined {
  const files = filesNamed(path)
  if (files.length === 0) return undefined
  const lines = text.split(/\r?\n|\r/)
  for (const { kind, line: shape } of files) {
    const isSecret = (line: string): boolean => !COMMENTED.test(line) && (shape?.test(line) ?? true)
    const at = lines.findIndex(isSecret)
    if (at >= 0) return { kind, line: at + 1 }
  }
  return undefined
}

/** What a file may be by its name. */
function filesNamed(path: string): SecretFile[] {
  const inner = basename(path)
  const outer = basename(path.slice(0, Math.max(0, path.length - inner.length - 1))).toLowerCase()
  return FILES.filter(
    ({ name, folder }) => name.test(inner) && (folder === undefined || folder === outer),
  )
}
