// Separate from skill-index.ts, which is only loaded once a skill site is found.

/** The `$schema` of a v0.2 index of a skill site. A v0.1 index has none. */
export const INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
/** The folders of a skill site, v0.2 and v0.1, and the path of the index in each. */
export const FOLDER_V2 = '.well-known/agent-skills/'
export const FOLDER_V1 = '.well-known/skills/'
export const INDEX_V2 = `${FOLDER_V2}index.json`
export const INDEX_V1 = `${FOLDER_V1}index.json`
