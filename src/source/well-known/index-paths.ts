// Separate from skill-index.ts, which is only loaded once a skill site is found.

/** Path of the index of a skill site, v0.2. */
export const INDEX_V2 = '.well-known/agent-skills/index.json'
/** Path of the index of a skill site, v0.1. */
export const INDEX_V1 = '.well-known/skills/index.json'
