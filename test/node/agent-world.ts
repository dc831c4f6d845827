import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import { createSession, type Session } from '../../src/exports/session.js'
import type { WritableSource } from '../../src/exports/sources.js'
import { skill } from '../skill-file.js'

export const INVOICE = {
  'invoice-check/SKILL.md': skill(
    'invoice-check',
    'Checks an invoice before it is paid',
    'Look up rates.csv.',
  ),
  'invoice-check/rates.csv': 'standard,21',
}
export const TEA = { 'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil water.') }

/** Opens a library over files that a test can change. */
export async function openFiles(
  files: Readonly<Record<string, string>> = { ...INVOICE, ...TEA },
): Promise<{ library: LocalLibrary; source: WritableSource }> {
  const source = memory(files, { name: 'mine' })
  return { library: await openLibrary(source), source }
}

/** A session over the files. */
export const start = async (): Promise<Session> => createSession((await openFiles()).library)

/** Tool calls of the scripted models, one per turn. */
export const SCRIPT = [
  { name: 'search_skills', input: { query: 'check this invoice before I pay it' } },
  { name: 'load_skill', input: { skill: 'invoice-check' } },
  { name: 'read_skill_file', input: { skill: 'invoice-check', path: 'rates.csv' } },
] as const

/** The expected result of each call in `SCRIPT`. */
export const RESULTS = [
  /<name>invoice-check<\/name>/,
  /^<skill_content name="invoice-check"[\s\S]*rates\.csv/,
  /standard,21/,
]
