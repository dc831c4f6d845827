/** Files that make globs slow. The first one is what a user works on. */
export const LONG_FILES: readonly string[] = [
  'kitchen/tea.pot',
  ...Array.from({ length: 199 }, (_, index) => `${'a/'.repeat(100)}${'a'.repeat(300)}${index}`),
]

/** Globs of a skill, by name, that take long or are many. None fits a file of the user. */
export const PATH_BOMBS: Readonly<Record<string, readonly string[]>> = {
  'runs of stars': Array<string>(100).fill(`${'*a'.repeat(120)}*b?`),
  'stars in stars': Array<string>(100).fill(`${'*a*'.repeat(80)}b?`),
  'any depth again and again': Array<string>(100).fill(`${'**/'.repeat(80)}z?`),
  'any depth, then one folder': Array<string>(100).fill(`${'**/a/'.repeat(50)}z?`),
  'choices of choices': Array<string>(100).fill('{z,y}'.repeat(50)),
  'one choice again and again': Array<string>(100).fill(`${'{z}'.repeat(80)}`),
  'empty choices': Array<string>(100).fill(`{${','.repeat(250)}}z?`),
  'open braces': Array<string>(100).fill('{'.repeat(256)),
  'sets of many ranges': Array<string>(100).fill(`*[${'x-y'.repeat(80)}]*z?`),
  'open sets': Array<string>(100).fill('['.repeat(256)),
  'a million globs': Array<string>(1_000_000).fill('*a*z?'),
  'a million globs that say nothing': Array<string>(1_000_000).fill('**/*'),
  'a glob of a megabyte': ['*a'.repeat(500_000)],
  'choices of a megabyte': [`{${'*a*z?,'.repeat(160_000)}}`],
}
