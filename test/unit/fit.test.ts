import { expect, it } from 'vitest'
import { cutOffset } from '../../src/agent/session/fit.js'

it.each([
  ['after a sentence', 'Reads PDF files. Fills the forms of an office.', 30, 'Reads PDF files.'],
  ['after a line', '# Reports and forms\nRead the whole report first', 30, '# Reports and forms\n'],
  [
    'after a clause, not after an abbreviation',
    'Reads office files, e.g. tables of a year',
    36,
    'Reads office files,',
  ],
  [
    'after a line, not after the number of a list',
    'Read the whole report.\n10. Write what it says about the year.',
    31,
    'Read the whole report.\n',
  ],
  ['after a clause', 'Reads PDF files, fills forms and merges', 24, 'Reads PDF files,'],
  ['after a word', 'Reads the forms of a state', 20, 'Reads the forms of a'],
  ['after a word, not inside one', 'Reads the forms of a state', 19, 'Reads the forms of'],
  ['after a sentence in Chinese', '读取文件。填写表单，合并结果并发送', 9, '读取文件。'],
  ['after a clause in Chinese', '读取文件。填写表单，合并结果并发送', 12, '读取文件。填写表单，'],
  ['inside a long word', `a b ${'x'.repeat(50)}`, 20, `a b ${'x'.repeat(16)}`],
  ['not inside a character', '😀'.repeat(20), 7, '😀😀😀'],
  ['nothing if the text fits', 'Reads.', 6, 'Reads.'],
])('cuts %s', (_, text, length, expected) => {
  expect(text.slice(0, cutOffset(text, length))).toBe(expected)
})
