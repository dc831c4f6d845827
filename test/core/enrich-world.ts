import type { AskForMessages } from '../../src/library/api/message-writing.js'
import type { VectorCache } from '../../src/search/model/skill-model.js'

/** What users say, by skill: no word of the descriptions. */
export const SAID: Readonly<Record<string, readonly string[]>> = {
  'invoice-check': [
    'the supplier wants money again, is that right?',
    'did they charge us twice for the chairs',
    'can I pay this or is something off',
    'why is the VAT so high on this one',
    'accounting sent this back, did I miss a line',
    'is that account number still the same',
  ],
  sourdough: [
    'my loaf came out flat as a stone',
    'how wet should the dough feel before I fold it',
    'the crust is pale, what went wrong',
    'can I leave the starter alone for a week',
    'what to do with two kilos of rye flour',
    'there are huge holes in the crumb',
  ],
}
export const FILES = {
  'invoice-check/SKILL.md':
    '---\nname: invoice-check\ndescription: Audits paperwork of vendors.\n---\nAudit.\n',
  'sourdough/SKILL.md':
    '---\nname: sourdough\ndescription: Bakes bread with natural yeast.\n---\nBake.\n',
  'rent/SKILL.md':
    '---\nname: rent\ndescription: Budgets.\nmessages: [who owes me rent]\n---\nCount.\n',
}

/** A stand-in for a model that writes these messages. */
export function standIn(): { ask: AskForMessages; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    ask: async ({ user }) => {
      const name = /<name>(.*?)<\/name>/.exec(user)?.[1] ?? ''
      asked.push(name)
      return JSON.stringify({ en: SAID[name] })
    },
  }
}

export function memoryCache(): VectorCache & { held: Map<string, Uint8Array> } {
  const held = new Map<string, Uint8Array>()
  return {
    held,
    get: async keys => keys.map(key => held.get(key)),
    put: async entries => {
      for (const [key, bytes] of entries) held.set(key, bytes)
    },
  }
}
