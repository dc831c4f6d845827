/** Where a site has its index, relative to its address: v0.2. */
export const INDEX_V2 = '.well-known/agent-skills/index.json'
/** The same of v0.1. */
export const INDEX_V1 = '.well-known/skills/index.json'
