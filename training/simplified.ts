/**
 * Writes src/text/simplified.ts: Traditional to Simplified Chinese, one character to one, from OpenCC's TSCharacters,
 * for the characters in common use.
 * Run: npm run make:simplified
 */
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const { default: dictionary } = (await import('opencc-js/dict/TSCharacters' as string)) as { default: string }
/** The 5,401 characters in common use: Big5's first level, A440 to C67E. */
const common = new Set<string>()
for (let high = 0xa4; high <= 0xc6; high++) {
  for (const low of [...Array(0x7e - 0x40 + 1).keys()]
    .map(n => n + 0x40)
    .concat([...Array(0xfe - 0xa1 + 1).keys()].map(n => n + 0xa1))) {
    if (high < 0xc6 || low <= 0x7e) common.add(new TextDecoder('big5').decode(new Uint8Array([high, low])))
  }
}

const bySimplified = new Map<string, string[]>()
for (const row of dictionary.split('|')) {
  const [from = '', to = ''] = row.split(' ')
  if (!common.has(from) || to.length !== 1 || from === to) continue
  bySimplified.set(to, [...(bySimplified.get(to) ?? []), from])
}
const rows = [...bySimplified].sort(([a], [b]) => (a < b ? -1 : 1)).map(([to, from]) => to + from.sort().join(''))
const text = `// Made by training/simplified.ts from OpenCC's TSCharacters (Apache-2.0, see NOTICE). Each group: a Simplified character, then its Traditional forms.
export const simplifiedGroups =
  '${rows.join(' ')}'
`
writeFileSync(new URL('../src/text/simplified.ts', import.meta.url), text)
console.log(`${rows.length} groups, ${text.length} characters, ${gzipSync(text).length} bytes gzipped`)
