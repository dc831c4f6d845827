/** Well-known repositories of skills. Only their names are part of the page. The first three are on the first screen. */
export const REPOSITORIES = [
  'anthropics/skills',
  'vercel-labs/agent-skills',
  'cloudflare/skills',
  'openai/skills',
  'huggingface/skills',
] as const
