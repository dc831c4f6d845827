import { describe, expect, it } from 'vitest'
import { basename, dirname, joinPath, safePath, trySafePath } from '../../src/core/paths.js'

const encode = (path: string): string =>
  [...path].map(one => `%${one.charCodeAt(0).toString(16)}`).join('')
const again = (path: string): string => path.replaceAll('%', '%25')

describe('[BY-9] [OS-4] refuses', () => {
  it.each<[string, string[]]>([
    [
      'paths that leave the folder',
      '.. ../ ../x a/.. a/../b a/../../b ./.. a//../b ...'.split(' '),
    ],
    ['paths that leave the folder, with spaces', ['.. ', ' ..', 'a/ .. /b', '. .', '.. ./x']],
    ['absolute paths', ['/', '/etc/passwd', '//host/share', ' /etc', '\u00a0/etc', '/./x']],
    ['drives', ['C:', 'C:/x', 'c:x', 'C:\\x', ' C:/x', '%43:/x', 'C%3a/x']],
    ['backslashes', ['..\\x', 'a\\..\\b', '\\x', '\\\\host\\share', 'a\\b', '%5c', 'a%5Cb']],
    [
      'encoded once',
      [encode('..'), encode('../x'), ...'%2e%2e/x .%2e/x %2E./x a/%2e%2e ..%2fx'.split(' ')],
    ],
    ['encoded once, with a slash', '%2fetc a%2F..%2Fb %2E%2e%2F'.split(' ')],
    [
      'encoded twice',
      [again(encode('../x')), '%252e%252e/x', '..%252fx', '%252Fetc', 'a/%25%32%65./b'],
    ],
    ['encoded three times', [again(again(encode('../x'))), '%25252e%25252e/x', '..%25252Fx']],
    ['encoded ten times', [Array.from({ length: 10 }).reduce(again, '%2e%2e/x') as string]],
    ['encoded too many times', [Array.from({ length: 40 }).reduce(again, 'a%20b') as string]],
    [
      'encoded next to an invalid encoding',
      '%zz/%2e%2e/x 100%/%2e%2e %ff/%2e%2e/x %E2%80%A5%ff/../x %/..'.split(' '),
    ],
    [
      'overlong encodings',
      '%c0%ae%c0%ae/x %C0%AE./x ..%c0%afx %e0%80%ae%e0%80%ae/x %f0%80%80%ae/x'.split(' '),
    ],
    [
      'overlong encodings of other characters',
      '%25c0%25ae/x %c1%9cx %u002e%u002e/x ..%u2215x'.split(' '),
    ],
    [
      'full width',
      '．．/x ．./x ..／x a／..／b ／etc ＼x ..﹨x %ef%bc%8e%ef%bc%8e/x ％2e％2e/x Ｃ:/x C：/x'.split(
        ' ',
      ),
    ],
    [
      'look-alikes of dots',
      ['\u2025/x', '\u2024\u2024/x', '\ufe52\ufe52/x', '%E2%80%A5/x', '%E2%80%A5/%ff'],
    ],
    ['look-alikes of slashes', ['..\u2215x', '..\u2044x', '..\u29f8x', '..\u2216x']],
    [
      'invisible spaces',
      ['.\u200b./x', '\u200b../x', '..\u200d/x', '.\u2060./x', '\ufeff../x', '\u200b/etc'],
    ],
    [
      'invisible marks',
      ['.\u202e./x', '\u2066..\u2069/x', '.\u00ad./x', '.\u034f./x', '.\ufe0f./x', '.%e2%80%8b./x'],
    ],
    ['control characters', ['a\0b', 'a.md\0.png', 'a\nb', 'a\r', '\tb', 'a\u0085b', '\u001b[31m']],
    ['encoded control characters', ['a%00b', 'a%0ab', 'a%250ab']],
    ['empty paths', ['', '.', './', './.', '././/', '%2e']],
    [
      'URLs',
      'http://x.org/a https:/x file:///etc/passwd data:text/html,x javascript:alert(1)'.split(' '),
    ],
    ['other URLs', ['skill://a/b', 'blob%3Ahttp://x', 'HTTP://x']],
    ['paths that are too long', ['a'.repeat(1_025), 'a/'.repeat(600), '%'.repeat(100_000)]],
    ['lone surrogates', ['\ud83d.md', 'a/\udc00']],
  ])('%s', (_, paths) => {
    for (const path of paths) {
      expect.soft(trySafePath(path), JSON.stringify(path).slice(0, 80)).toBeUndefined()
    }
  })

  it('with a code, the path and a hint', () => {
    const message = expect.stringContaining('"../x": it leaves its folder')
    const details = expect.objectContaining({
      subject: '../x',
      hint: expect.stringContaining('relative path'),
    })
    const error = { name: 'SkillshelfError', code: 'invalid-path', message, details }
    expect(() => safePath('../x')).toThrow(expect.objectContaining(error))
  })

  it.each([undefined, null, 7, {}, [], ['a'], Symbol('x'), new String('a')])(
    'values of another type: %s',
    value => {
      expect(() => safePath(value as string)).toThrow(
        expect.objectContaining({ code: 'invalid-path' }),
      )
    },
  )

  it('long paths with a short message', () => {
    expect(() => safePath('a'.repeat(1_000_000))).toThrow(/^.{0,400}$/)
  })
})

describe('accepts', () => {
  it.each([
    ...'a references/guide.md 说明（1）.md 参考/表格.xlsx 100%.md 100％.md a%20b.md 50%25.md a%2fb.md'.split(
      ' ',
    ),
    ...'%E8%AF%B4.md ...md foo..bar a../b a/..b .hidden/x ..gitignore 🎉/👩‍👩‍👧.png naïve.md nai\u0308ve.md'.split(
      ' ',
    ),
    ...'12:30.md ~/x $HOME a?b#c -rf'.split(' '),
    ...['a b/c d.md', 'note: one.md', 'x'.repeat(1_024)],
  ])('[OS-4] %s unchanged', path => {
    expect(safePath(path)).toBe(path)
  })

  it.each([
    ['./a', 'a'],
    ['a//b', 'a/b'],
    ['a/./b', 'a/b'],
    ['a/', 'a'],
    ['././a/.//b//', 'a/b'],
  ])('[OS-4] %s as %s', (path, folded) => {
    expect(safePath(path)).toBe(folded)
    expect(safePath(folded)).toBe(folded)
  })
})

describe('dirname, basename, joinPath and relativePath', () => {
  it.each([
    ['a/b/c.md', 'a/b', 'c.md'],
    ['c.md', '', 'c.md'],
    ['', '', ''],
  ])('of %j', (path, folder, name) => {
    expect(dirname(path)).toBe(folder)
    expect(basename(path)).toBe(name)
    expect(joinPath(folder, name)).toBe(path)
  })

  it('the root adds no prefix', () => {
    expect(joinPath('', 'a')).toBe('a')
    expect(joinPath('a', '')).toBe('a')
  })
})
