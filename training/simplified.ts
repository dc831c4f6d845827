/**
 * Writes src/core/text/simplified.ts: Traditional to Simplified Chinese, one character to one, from OpenCC's TSCharacters,
 * for the characters in common use.
 * Run: npm run make:simplified
 */
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const { default: dictionary } = (await import('opencc-js/dict/TSCharacters' as string)) as {
  default: string
}
/** The 5,401 characters in common use: Big5's first level, A440 to C67E. */
const common = new Set<string>()
for (let high = 0xa4; high <= 0xc6; high++) {
  for (const low of [...Array(0x7e - 0x40 + 1).keys()]
    .map(n => n + 0x40)
    .concat([...Array(0xfe - 0xa1 + 1).keys()].map(n => n + 0xa1))) {
    if (high < 0xc6 || low <= 0x7e) {
      common.add(new TextDecoder('big5').decode(new Uint8Array([high, low])))
    }
  }
}

const pairs = dictionary
  .split('|')
  .map(row => row.split(' '))
  .filter(([from = '', to = '']) => common.has(from) && to.length === 1 && from !== to)
  .map(pair => pair.map(character => character.charCodeAt(0)) as [number, number])
  .sort(([a], [b]) => a - b)

/** Half the size of the characters after compression. */
function differences(units: readonly number[]): string {
  return units.map((unit, index) => (unit - (units[index - 1] ?? 0)).toString(36)).join(' ')
}

const text = `// Made by training/simplified.ts from OpenCC's TSCharacters (Apache-2.0, see NOTICE). Code units of Traditional characters
// and of their Simplified forms, each as the difference from the one before, in base 36.
export const traditionalUnits =
  '${differences(pairs.map(([from]) => from))}'
export const simplifiedUnits =
  '${differences(pairs.map(([, to]) => to))}'
`
writeFileSync(new URL('../src/core/text/simplified.ts', import.meta.url), text)
console.log(
  `${pairs.length} characters, ${text.length} bytes, ${gzipSync(text).length} bytes gzipped`,
)
