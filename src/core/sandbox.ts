/** Text and files of skills are untrusted: a browser that opens a response directly runs no script and loads nothing. */
export const SANDBOX_POLICY = "sandbox; default-src 'none'"

/** Headers of every response that may hold text or files of skills, errors included. */
export const UNTRUSTED = {
  'content-security-policy': SANDBOX_POLICY,
  'x-content-type-options': 'nosniff',
}
