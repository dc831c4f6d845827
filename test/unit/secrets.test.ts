import { generateKeyPairSync } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { findSecret, secretsError } from '../../src/core/secrets/find-secret.js'
import { createKeys } from '../../src/library/signed/signature.js'

/** What must not leave, by name and by shape. Values are made here, so that nothing in this file looks like a secret. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Letters and digits without an order. */
const noise = (length: number, alphabet = ALPHABET): string => {
  let state = length * 7_919 + 17
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
  }).join('')
}
const hex = (length: number) => noise(length, '0123456789abcdef')
const begin = (type: string) => `-----BEGIN ${type}PRIVATE KEY-----`
const end = (type: string) => `-----END ${type}PRIVATE KEY-----`
const block = (type: string, body: string) => `${begin(type)}\n${body}\n${end(type)}\n`
const lines = (text: string) => text.match(/.{1,64}/g)?.join('\n') ?? ''

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: typeof rsa.privateKey, type: 'pkcs8' | 'pkcs1' | 'sec1') =>
  key.export({ type, format: 'pem' }) as string
const PKCS8 = pem(rsa.privateKey, 'pkcs8')
const ENCRYPTED = rsa.privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'x',
})
const OLD_ENCRYPTED = block(
  'RSA ',
  `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${lines(noise(800))}`,
)
const OPENSSH = block(
  'OPENSSH ',
  lines(`b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz${noise(260)}`),
)
const PGP = `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${lines(noise(900))}\n=${noise(4)}\n-----END PGP PRIVATE KEY BLOCK-----\n`
const AWS_ID = `AKIA${noise(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`
const AWS_SECRET = `${noise(39)}7`

/** As a file of JavaScript, YAML or Python has it. */
const jwk = JSON.stringify(ec.privateKey.export({ format: 'jwk' }), null, 2)
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64')
const der = (options: object = {}): Uint8Array =>
  new Uint8Array(rsa.privateKey.export({ type: 'pkcs8', format: 'der', ...options }))
const PASSPHRASE = { cipher: 'aes-256-cbc', passphrase: 'x' }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const find = (path: string, content: string | Uint8Array) =>
  findSecret(path, typeof content === 'string' ? new TextEncoder().encode(content) : content)
const utf16 = (text: string, mark: boolean) =>
  new Uint8Array(Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le'))

describe('findSecret', () => {
  it.each<[string, string | Uint8Array]>([
    ['a/.env', 'TOKEN=not-a-real-one\n'],
    ['.ENV.local', 'export A="b"\n'],
    ['.env.yaml', 'token: abc\r\n'],
    ['.yarnrc.yml', `npmAuthToken: "${noise(20)}"\n`],
    ['.env.production', '# x\n\nPORT=1\n'],
    ['.env.example.local', 'A=1\n'],
    ['a/prod.env', 'PORT=1\nexport DB_PASSWORD="correct horse"\n'],
    ['app.env', 'STRIPE_SECRET_KEY=abc\n'],
    ['service.env', 'apikey: abc\n'],
    ['cookies.txt', '# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tTRUE\t0\ts\tabc\n'],
    ['cookies.txt', '#HttpOnly_example.com\tFALSE\t/\tTRUE\t0\ts\tabc\n'],
    ['id_rsa', 'anything'],
    ['x/id_ed25519_sk', 'anything'],
    ['.npmrc', `//registry.npmjs.org/:_authToken=${noise(20)}\n`],
    ['.netrc', 'machine example.com login me password pw\n'],
    ['_netrc', 'machine x\n'],
    ['.pypirc', '[pypi]\npassword = pw\n'],
    ['.aws/credentials', '[default]\nx = y\n'],
    ['.git-credentials', 'https://me:pw@example.com\n'],
    ['server.p12', new Uint8Array([0x30, 0x82, 1, 2, 0x02, 0x01, 0x03, 0x30])],
    ['server.key', new Uint8Array(ec.privateKey.export({ type: 'sec1', format: 'der' }))],
    ['server.der', new Uint8Array(rsa.privateKey.export({ type: 'pkcs8', format: 'der' }))],
    ['vault.kdbx', new Uint8Array([0x03, 0xd9, 0xa2, 0x9a, 0x67])],
    ['.env~', 'A=1\n'],
    ['.env-prod', 'A=1\n'],
    ['config/prod.env', 'A=1\n'],
    ['.dev.vars', 'A=1\n'],
    ['.streamlit/secrets.toml', 'token = "a1b2c3d4e5"\n'],
    ['.dockercfg', '{}'],
    ['a/.docker/config.json', `{"auths":{"r.example":{"auth":"${noise(16)}"}}}`],
    ['.kube/config', `users:\n- name: me\n  user:\n    token: ${noise(20)}\n`],
    ['prod.kubeconfig', `users:\n- user:\n    password: ${noise(12)}\n`],
    ['infra/terraform.tfstate', '{"outputs":{"db":{"value":"x","sensitive":true}}}'],
    ['terraform.tfstate.backup', '{"resources":[{"instances":[{"attributes":{"id":"x"}}]}]}'],
    ['prod.tfvars', `db_password = "${noise(12)}"\n`],
    ['.terraformrc', `credentials "app.example" {\n  token = "${noise(20)}"\n}\n`],
    ['credentials.tfrc.json', `{"credentials":{"app.example":{"token":"${noise(20)}"}}}`],
    ['.claude/.credentials.json', `{"claudeAiOauth":{"accessToken":"${noise(30)}"}}`],
    ['.codex/auth.json', `{"tokens":{"id_token":"${noise(30)}"}}`],
    ['token.json', `{"refresh_token": "${noise(30)}"}`],
    ['client_secret_1.apps.json', `{"installed":{"client_secret":"${noise(24)}"}}`],
    ['application_default_credentials.json', `{"refresh_token": "${noise(24)}"}`],
    ['.vscode/sftp.json', '{"host":"a.example","password":"correct-horse"}'],
    ['kaggle.json', `{"username":"me","key":"${hex(32)}"}`],
    ['secrets.yml', `database:\n  db_password: ${noise(10)}\n`],
    ['gradle.properties', `signing.password=${noise(10)}\n`],
    ['.my.cnf', '[client]\npassword = "correct horse"\n'],
    ['.s3cfg', `[default]\nsecret_key = ${noise(20)}\n`],
    ['.databrickscfg', `[DEFAULT]\ntoken = ${noise(20)}\n`],
    ['rclone.conf', `[box]\ntoken = {"access_token":"${noise(20)}"}\npassword = ${noise(9)}\n`],
    ['.msmtprc', 'account x\npassword correcthorse\n'],
    ['.dbt/profiles.yml', `team:\n  password: ${noise(10)}\n`],
    ['pip.conf', `[global]\nindex-url = https://me:${noise(12)}@pypi.example/simple\n`],
    ['.m2/settings.xml', '<server><password>correcthorse</password></server>'],
    ['NuGet.config', '<add key="ClearTextPassword" value="correcthorse" />'],
    ['wp-config.php', "define( 'DB_PASSWORD', 'correcthorse' );"],
    ['.vault-token', `${noise(26)}\n`],
    ['.envrc', `export API_TOKEN=${noise(12)}\n`],
    ['secring.gpg', new Uint8Array([0x95, 0x03, 0xbe, 0x04, 0x67])],
    ['team.key', Uint8Array.from({ length: 32 }, (_, index) => index * 7 + 130)],
    ['team.key', `${hex(64)}\n`],
    ['team.sk', `${noise(43)}=\n`],
  ])('[BY-5] finds %s by its name', (path, content) => {
    expect(find(path, content)).toMatchObject({ path })
  })

  it.each<[string, string | Uint8Array]>([
    ['PKCS #8', PKCS8],
    ['PKCS #1', pem(rsa.privateKey, 'pkcs1')],
    ['SEC 1', pem(ec.privateKey, 'sec1')],
    ['encrypted', String(ENCRYPTED)],
    ['encrypted as OpenSSL did', OLD_ENCRYPTED],
    ['OpenSSH', OPENSSH],
    ['PGP', PGP],
    [
      'SSH2',
      `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${lines(noise(400))}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    ],
    ['CRLF', PKCS8.replaceAll('\n', '\r\n')],
    ['in JSON', JSON.stringify({ type: 'service_account', private_key: PKCS8 })],
    ['in JSON twice', JSON.stringify(JSON.stringify({ private_key: PKCS8 }))],
    ['in YAML', `key: |\n${PKCS8.replaceAll(/^/gm, '    ')}`],
    ['in a comment', PKCS8.replaceAll(/^/gm, '# ')],
    [
      'in a program',
      PKCS8.trimEnd()
        .split('\n')
        .map(line => `  "${line}\\n"`)
        .join(' +\n'),
    ],
    ['on one line', `KEY="${PKCS8.trimEnd().replaceAll('\n', ' ')}"`],
    ['without its end', PKCS8.slice(0, PKCS8.indexOf('-----END'))],
    [
      'in base64',
      `client-key-data: ${Buffer.from(pem(rsa.privateKey, 'pkcs1')).toString('base64')}`,
    ],
    ['after a long text', `${'word '.repeat(1_000_000)}${PKCS8}`],
    ['across the parts of a large file', `${'\n'.repeat(4 * 1_048_576 - 400)}${PKCS8}`],
    ['UTF-16', utf16(PKCS8, true)],
    ['UTF-16 without a mark', utf16(PKCS8, false)],
    ['in a binary file', new Uint8Array([0, 1, 2, 255, ...new TextEncoder().encode(PKCS8)])],
    ['in HTML', PKCS8.replaceAll('\n', '<br>\n')],
    ['in a cell of a table', `| key | ${PKCS8.trimEnd().replaceAll('\n', '<br/>')} |`],
    ['in an attribute', `<input value="${PKCS8.replaceAll('\n', '&#10;')}">`],
    ['in an address', `https://a.example/?key=${encodeURIComponent(PKCS8)}`],
    ['in a form', String(new URLSearchParams({ key: PKCS8 }))],
    ['in JSON with escapes', JSON.stringify(PKCS8).replaceAll('\\n', '\\u000a')],
    [
      'in PHP',
      PKCS8.trimEnd()
        .split('\n')
        .map(line => `  "${line}\\n"`)
        .join('\n  . '),
    ],
    ['with numbers of lines', PKCS8.replaceAll(/^(?=.)/gm, '  12\t')],
    ['with the dashes of a word processor', PKCS8.replaceAll('-----', '\u2014\u2014')],
    ['in lines of base64', base64(PKCS8).replaceAll(/.{76}/g, '$&\n')],
    ['in base64 after a blank line', base64(`\n${PKCS8}`)],
    ['in base64 twice', base64(base64(PKCS8))],
    ['in JSON in base64', base64(JSON.stringify({ type: 'service_account', private_key: PKCS8 }))],
    ['without its markers', `ALIPAY_KEY=${base64(der())}`],
    ['without its markers, in lines', lines(base64(der()))],
    ['in DER', der()],
    ['in DER with a passphrase', der(PASSPHRASE)],
    ['compressed', new Uint8Array(gzipSync(PKCS8))],
    ['in a zip file', zipSync({ 'keys/team.pem': bytesOf(PKCS8) })],
    [
      'in a zip file in a zip file',
      zipSync({ 'a.zip': zipSync({ 'notes.txt': bytesOf(`x${' '.repeat(9_000)}${PKCS8}`) }) }),
    ],
    ['minisign', `untrusted comment: minisign encrypted secret key\n${noise(212)}`],
    ['DNSSEC', `Private-key-format: v1.3\nAlgorithm: 15 (ED25519)\nPrivateKey: ${noise(43)}=\n`],
    ['JWK', JSON.stringify(ec.privateKey.export({ format: 'jwk' }))],
    ['JWK in a program', jwk.replaceAll('"', "'").replaceAll(/'(\w+)':/g, '$1:')],
    ['JWK in YAML', jwk.replaceAll(/[{}",]/g, '')],
    ['JWK in JSON twice', JSON.stringify(JSON.stringify(jwk))],
    ['JWK in base64', base64(jwk)],
    ['JWK after certificates', jwk.replace('{', `{ "x5c": ["${noise(9_000)}"], "o": {},`)],
    ['JWK of a secret', JSON.stringify({ kty: 'oct', k: noise(43) })],
    ['age', `AGE-SECRET-KEY-1${noise(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`],
    [
      'PuTTY',
      `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n${noise(40)}\n`,
    ],
  ])('[BY-5] finds a private key: %s', (_, content) => {
    for (const path of ['a/notes.bin', 'a/README.md'])
      expect(find(path, content)?.kind).toContain('a private key')
  })

  it('[BY-27] finds what `skillshelf keys new` writes, and passes the public key', async () => {
    const { privateKey, publicKey } = await createKeys()
    expect(find('team.pem', privateKey)).toEqual({
      path: 'team.pem',
      kind: 'a private key (PRIVATE KEY)',
      line: 1,
    })
    expect(find('team.pub.pem', publicKey)).toBeUndefined()
  })

  it.each([
    ['GitHub', `ghp_${noise(36)}`],
    ['GitHub', `github_pat_${noise(22)}_${noise(59)}`],
    ['GitLab', `glpat-${noise(20)}`],
    ['Slack', `xoxb-${noise(12, '0123456789')}-${noise(24)}`],
    ['Slack', `https://hooks.slack.com/services/T${noise(8)}/B${noise(10)}/${noise(24)}`],
    ['Stripe', `sk_live_${noise(24)}`],
    ['OpenAI', `sk-proj-${noise(74)}`],
    ['OpenAI', `sk-${noise(48)}`],
    ['Anthropic', `sk-ant-api03-${noise(93)}AA`],
    ['Google', `AIza${noise(35)}`],
    ['npm', `npm_${noise(36)}`],
    ['AWS', `key ${AWS_ID}\nsecret ${AWS_SECRET}`],
    ['AWS', `aws_secret_access_key = ${AWS_SECRET}`],
    ['AWS', JSON.stringify({ secretAccessKey: AWS_SECRET })],
  ])('[BY-5] finds a token of %s', (service, token) => {
    for (const text of [token, `const key = '${token}'\n`, `x\r\nKEY=${token}\r\n`, `| ${token} |`])
      expect(find('a/notes.md', text)?.kind).toContain(service)
  })

  it.each<[string, string | Uint8Array]>([
    ['.env', '\n# TOKEN=x\nTOKEN=\nURL=""\n'],
    ['.env.example', 'TOKEN=abc\n'],
    ['example.env', 'TOKEN=abc\n'],
    ['app.env', 'PORT=8080\nMAX_TOKENS=100\nAPI_KEY=\nTOKEN=your-token\nSECRET=<secret>\n'],
    ['cookies.txt', '# Netscape HTTP Cookie File\nAdd yours here.\n'],
    ['.env.sample', 'TOKEN=abc\n'],
    ['.env.local.template', 'TOKEN=abc\n'],
    ['.npmrc', 'registry=https://example.com\n//x/:_authToken=$'.concat('{NPM_TOKEN}\n')],
    ['id_rsa.pub', 'ssh-rsa AAAA'],
    ['credentials.md', '# Credentials'],
    ['environment', 'TOKEN=abc'],
    ['config.json', '{"auth":"abcdefghijkl"}'],
    ['.docker/config.json', '{"credsStore":"desktop","auths":{"r.example":{}}}'],
    ['.kube/config', 'users:\n- name: me\n  user:\n    exec:\n      command: login\n'],
    ['example.tfstate', '{"outputs":{"db":{"value":"x"}}}'],
    ['terraform.tfstate', '{"version":4,"resources":[],"outputs":{}}'],
    ['prod.tfvars', 'region = "eu-1"\npassword = "$'.concat('{var.password}"\n')],
    ['credentials.json', '{"client_secret":"YOUR_SECRET","token_uri":"https://a.example/token"}'],
    ['auth.json', '{"auth_type":"authorization_code","name":"someone else"}'],
    ['secret.yaml', 'kind: Secret\nmetadata:\n  name: my-database\nsecretName: my-database-tls\n'],
    ['secrets.yml', 'password: ENC[AES256_GCM,data:abc]\ntoken: "{{ token }}"\n'],
    ['settings.xml', '<server><password>$'.concat('{env.PASSWORD}</password></server>')],
    ['pip.conf', '[global]\nindex-url = https://pypi.example/simple\n'],
    ['wp-config.php', "define( 'DB_PASSWORD', 'password_here' );"],
    ['cert.pem', rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string],
    ['cert.key', new Uint8Array(rsa.publicKey.export({ type: 'spki', format: 'der' }))],
    [
      'cert.pem',
      block('', '')
        .replaceAll('PRIVATE KEY', 'CERTIFICATE')
        .replace('\n\n', `\n${lines(noise(900))}\n`),
    ],
    ['a.md', `Paste it:\n\n${begin('')}\n...\n${end('')}\n`],
    ['a.md', `${begin('RSA ')}\nMIIEpAIBAAKCAQEA…\n${end('RSA ')}\n`],
    ['a.md', `${begin('')}\n${lines(noise(128))}\n...\n${lines(noise(128))}\n${end('')}\n`],
    ['a.md', `${begin('')}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC${noise(40)}\n${end('')}\n`],
    ['a.md', `${begin('')}\nyour private key goes in here between these two lines\n${end('')}\n`],
    ['a.md', `${begin('')}\nYOUR_PRIVATE_KEY_GOES_HERE_AND_NOWHERE_ELSE_PLEASE\n${end('')}\n`],
    ['a.md', `A key starts with \`${begin('')}\` and ends with \`${end('')}\`.`],
    ['a.py', `if text.startswith("${begin('')}"):\n    raise ValueError("no key")\n`],
    [
      'a.md',
      'OPENAI_API_KEY=sk-...\nANTHROPIC_API_KEY=sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    ],
    [
      'a.md',
      `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\naws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`,
    ],
    ['a.md', `${AWS_ID} is the id of a key.`],
    ['a.md', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
    ['a.md', `ghp_${'x'.repeat(36)} or ghp_<your token>`],
    ['a.md', `sk_test_${'4eC39HqLyjWDarj'}tT1zdp7dc`],
    ['a.test.ts', `const key = 'sk_live_${'1234567890abcdef'}1234567890'`],
    ['a.css', `.task-${noise(40)} { mask-${noise(40)}: none }`],
    ['a.json', JSON.stringify({ sha: hex(40), integrity: `sha512-${noise(86)}==` })],
    ['a.json', JSON.stringify(ec.publicKey.export({ format: 'jwk' }))],
    ['a.bin', new Uint8Array(0)],
    ['example.env', 'TOKEN=abc\n'],
    ['a.json', JSON.stringify({ kty: 'EC', d: 'short', path: 'M10 20 L30 40' })],
    ['a.txt', base64(rsa.publicKey.export({ type: 'spki', format: 'der' }))],
    ['a.der', new Uint8Array(rsa.publicKey.export({ type: 'pkcs1', format: 'der' }))],
    ['a.md', `Starts with ${base64(der()).slice(0, 80)}`],
    ['a.md', `<img src="data:text/plain;base64,${base64('Two cups of tea. '.repeat(99))}">`],
    ['a.zip', zipSync({ 'a.md': bytesOf('Two cups of tea. '.repeat(999)) })],
    ['deck.key', zipSync({ 'Index.zip': bytesOf('x') })],
  ])('[BY-5] passes what is no secret: %s %#', (path, content) => {
    expect(find(path, content)).toBeUndefined()
  })

  it('[BY-5] says in which file of an archive, and stops at what is broken or grows too much', () => {
    const archive = zipSync({ 'pad.txt': bytesOf('pad '.repeat(9)), 'x/.env': bytesOf('A=1\n') })
    expect(find('a/b.zip', archive)).toEqual({
      path: 'a/b.zip',
      kind: 'a file of environment variables, in x/.env of the archive',
    })
    expect(find('a/b.zip', archive.slice(0, 40))).toBeUndefined()
    const late = zipSync({ 'bomb.txt': new Uint8Array(40_000_000), 'x/.env': bytesOf('A=1\n') })
    expect(find('a/b.zip', late)).toBeUndefined()
  })

  it('[BY-5] says what and where, and never the secret', () => {
    const token = `ghp_${noise(36)}`
    const secret = find('a/b.md', `one\ntwo ${token}\n`)
    expect(secret).toEqual({ path: 'a/b.md', kind: 'a token of GitHub', line: 2 })
    const error = secretsError(
      Array.from({ length: 12 }, (_, index) => ({
        path: `${index}/.env`,
        line: 1,
        kind: 'a file of x',
      })),
    )
    expect(error.message).toContain('0/.env:1 is a file of x; 1/.env:1 is')
    expect(error.message).toContain('and 2 more (remove them')
    expect(JSON.stringify([secret, error])).not.toContain(token)
    expect(secretsError([{ path: 'a\n\u001b[2J', kind: 'a private key' }]).message).toContain(
      'a [U+001B][2J is a private key',
    )
  })
})
