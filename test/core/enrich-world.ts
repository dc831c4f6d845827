import type { AskForMessages } from '../../src/library/enrich/prompt.js'

/** Skills, messages of their users, and a stand-in for a model that writes these messages. */
export function createWorld() {
  const SAID: Readonly<Record<string, readonly string[]>> = {
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
  const FILES = {
    'invoice-check/SKILL.md': '---\nname: invoice-check\ndescription: Audits paperwork of vendors.\n---\nAudit.\n',
    'sourdough/SKILL.md': '---\nname: sourdough\ndescription: Bakes bread with natural yeast.\n---\nBake.\n',
    'rent/SKILL.md': '---\nname: rent\ndescription: Budgets.\nmessages: [who owes me rent]\n---\nCount.\n',
  }
  const standIn = (): { ask: AskForMessages; asked: string[] } => {
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
  return { FILES, SAID, standIn }
}
