import { digestOf } from '../../src/core/digest.js'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import type { ModelFiles } from './files.js'
import { divideModel } from './rows.js'

/** The text of src/search/model/bundled/digests.ts. */
export function digestsModule(files: ModelFiles): string {
  const record = (digest: (part: Part) => string): string =>
    PARTS.map(part => `  ${part}: '${digest(part)}',\n`).join('')
  return `import type { Part } from '../script-parts.js'

/** Digests of the files of the bundled model. Written by \`npm run train\`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
${record(part => digestOf(files[part]))}}

/** Digests of the start files in \`model/rows\`, which name the pieces by digest. */
export const START_DIGESTS: Readonly<Record<Part, string>> = {
${record(part => digestOf(divideModel(files[part]).start))}}
`
}
