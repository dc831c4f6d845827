import type { Diagnostic } from '../../skill/diagnostics.js'
import type { PiecedCatalog } from '../catalog/pieced-catalog.js'
import { copyDiagnostics, disabledDiagnostic, skillId } from '../catalog/snapshot.js'

/** What the catalog says of the library. */
export function diagnosticsOf(
  { diagnostics, disabled, copies }: PiecedCatalog,
  origin: string,
): Diagnostic[] {
  const copied = copies.flatMap(([path = '', ...others]) =>
    copyDiagnostics({ id: skillId(origin, path), copies: others }),
  )
  return [
    ...diagnostics,
    ...disabled.map(path => disabledDiagnostic(skillId(origin, path))),
    ...copied,
  ]
}

/** The diagnostic of a skill whose entry cannot be read. */
export function damagedRow(number: number, { name }: PiecedCatalog): Diagnostic {
  return {
    code: 'skill-left-out',
    severity: 'error',
    message: `Skill ${number + 1} of ${name} was left out: its entry is not valid`,
    path: name,
    hint: 'pack the skills again',
  }
}
