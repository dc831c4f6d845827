/** The first message of a visit. */
export const MESSAGES = { en: 'summarize this video for me', zh: '写一封邮件向客户道歉' } as const

/** Messages for the time while a transformer loads. */
export const LOAD_MESSAGES = [
  'make slides about our launch',
  'I need to review a pull request and leave comments about the security of this change before we merge it tomorrow',
  'deploy to cloudflare',
  'Can you look at the sales spreadsheet from last quarter and tell me which region grew the most and why',
  'parse a pdf',
] as const
