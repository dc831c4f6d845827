import { basename } from '../paths.js'

/** Files that hold secrets, by their name and as far as it needs, their content. */

interface SecretFile {
  kind: string
  name: RegExp
  /** A line that makes it one. Default: any line that is not blank or a comment. */
  line?: RegExp
}

const COMMENTED = /^\s*(?:(?:#(?!HttpOnly_)|;).*)?$/
/** A value that is not a reference to a variable, such as `${TOKEN}`. */
const VALUE = String.raw`\s*[=:]\s*["']?(?!\$|%|<|["'\s]|$)\S`

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
    name: /^(?!.*(?:example|sample|template|tmpl|dist|schema|defaults)).+\.env$/i,
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
  { kind: 'a file of PyPI with a password', name: /^\.pypirc$/i },
  {
    kind: 'a file of credentials',
    name: /^(?:\.?credentials|\.git-credentials|\.pgpass|\.htpasswd)$/i,
  },
]

/** True for a name that alone says that the file holds a secret. */
export function isSecretName(path: string): boolean {
  return FILES.some(
    ({ name, line }) =>
      name.test(basename(path)) && (line === undefined || /^\.env/i.test(basename(path))),
  )
}

/** What a file is by its name, with the line that makes it one; `undefined` for other files. */
export function secretFile(path: string, text: string): { kind: string; line: number } | undefined {
  const file = FILES.find(({ name }) => name.test(basename(path)))
  if (!file) return undefined
  const isSecret = (line: string): boolean =>
    !COMMENTED.test(line) && (file.line?.test(line) ?? true)
  const line = text.split(/\r?\n|\r/).findIndex(isSecret)
  return line < 0 ? undefined : { kind: file.kind, line: line + 1 }
}
