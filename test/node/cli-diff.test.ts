import { expect, it } from 'vitest'
import { cli, skill, temporaryFolder } from './cli-world.js'

const lines = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${text(index)}\n`).join('')
const a = (body: string): string => skill('a', 'Mends bicycles.', body)
const long = 'x'.repeat(300_000)
const short = lines(10, index => `${index}`)

it.each<
  [name: string, old: string | Uint8Array, now: string | Uint8Array, removed: number, added: number]
>([
  ['80,000 lines are added', a(''), a(lines(80_000, index => `${index}`)), 0, 80_000],
  ['80,000 lines are removed', a(lines(80_000, index => `${index}`)), a(''), 80_000, 0],
  [
    'every fiftieth of 20,000 lines',
    a(lines(20_000, String)),
    a(lines(20_000, n => (n % 50 ? `${n}` : `new ${n}`))),
    400,
    400,
  ],
  [
    '50,000 lines are all different',
    a(lines(50_000, n => `a${n}`)),
    a(lines(50_000, n => `b${n}`)),
    50_000,
    50_000,
  ],
  [
    '50,000 lines of two kinds',
    a(lines(50_000, n => `${n % 2}`)),
    a(lines(50_000, n => `${n % 3 ? 0 : 1}`)),
    50_000,
    50_000,
  ],
  ['one line of 300,000 characters', a(`${long}\n`), a(`${long}y\n`), 1, 1],
  [
    '200 long lines that are nearly the same',
    a(lines(200, n => `${long.slice(0, 4_000)}${n}`)),
    a(lines(200, n => `${long.slice(0, 4_000)}b${n}`)),
    200,
    200,
  ],
  ['a line feed at the end', a(short), a(short.trimEnd()), 1, 1],
  ['line ends', a(short), a(short.replaceAll('\n', '\r\n')), 10, 10],
  ['bytes that are no text', Uint8Array.of(0, 255, 10, 1), Uint8Array.of(0, 254, 10, 2, 155), 1, 1],
])('[BY-27] diff of large and odd files: %s', async (_, old, now, removed, added) => {
  const cwd = temporaryFolder({ 'old/a/SKILL.md': old, 'now/a/SKILL.md': now })
  const { code, out, err } = await cli(['diff', 'old', 'now'], { cwd })
  expect([code, err]).toEqual([1, expect.not.stringContaining('Unexpected')])
  const count = (sign: string): number =>
    out.split('\n').filter(line => line.startsWith(`  ${sign}`)).length
  expect([count('-'), count('+')]).toEqual([removed, added])
  expect(out).toMatch(/\n\n1 skill differ\n$/)
})
