import { shortenMarks } from '../../core/text/fold.js'
import type { Diagnostic } from '../../skill/diagnostics.js'

/** Characters that readers do not see, also where ordinary text needs them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const PLAIN = /^[\x20-\x7e]*$/

/** Reports names that differ from the name of an earlier skill only by invisible characters or Unicode compatibility forms (NFKC). */
export function confusableNames(skills: readonly { id: string; name: string }[]): Diagnostic[] {
  // Two plain names that differ also look different.
  if (skills.every(({ name }) => PLAIN.test(name))) return []
  const diagnostics: Diagnostic[] = []
  const first = new Map<string, { id: string; name: string }>()
  for (const skill of skills) {
    const { id, name } = skill
    const key = PLAIN.test(name) ? name : shortenMarks(name).normalize('NFKC').replace(INVISIBLE, '')
    const other = first.get(key)
    if (!other) first.set(key, skill)
    else if (other.name !== name)
      diagnostics.push({
        code: 'name-confusable',
        severity: 'warning',
        message: `The names of ${id} and ${other.id} differ only by characters that readers do not see`,
        path: id,
        hint: 'rename one of them',
      })
  }
  return diagnostics
}
