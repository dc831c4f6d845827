import { describe, expect, it } from 'vitest'
import { packedFile } from '../../src/library/catalog/packed-files.js'
import { inertContentType, mediaType } from '../../src/skill/media-types.js'

describe('mediaType', () => {
  it('[BY-9] is text/plain for every file that a browser runs as a document or script', () => {
    const names =
      'html HTM xhtml xht shtml shtm xml xsl xslt rdf rss atom mathml smil js mjs cjs ts ecma py sh'
    for (const extension of names.split(' '))
      expect([extension, mediaType(`a/page.${extension}`)]).toEqual([extension, 'text/plain'])
  })

  it('[BY-9] is that of unknown bytes for files that are named as members of every object', () => {
    for (const name of ['__proto__', 'constructor', 'a.constructor'])
      expect(mediaType(name)).toBe('application/octet-stream')
  })

  it('keeps the types of images, data and documents', () => {
    const types = ['a.svg', 'a.png', 'a.json', 'a.md', 'a.pdf', 'a.unknown', 'LICENSE'].map(
      mediaType,
    )
    expect(types.slice(0, 4)).toEqual([
      'image/svg+xml',
      'image/png',
      'application/json',
      'text/markdown',
    ])
    expect(types.slice(4)).toEqual(['application/pdf', 'application/octet-stream', 'text/plain'])
  })
})

describe('a host without security headers', () => {
  const ACTIVE = 'html HTM xhtml xht shtml svg svgz xml xsl rss kml mhtml php jsp'.split(' ')

  it('[BY-9] packed files have no extension that a browser or a host may run', () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
    const name = (path: string): string =>
      packedFile(digest, path).slice('files/0123456789abcdef'.length)
    for (const extension of [...ACTIVE, 'js', 'mjs', 'py', 'cgi', 'unknown', 'verylongextension'])
      expect([extension, name(`a/b.${extension}`)]).toEqual([extension, '.txt'])
    expect(['LICENSE', 'a.html.', 'a.html/b'].map(name)).toEqual(['.txt', '.txt', '.txt'])
    const names = ['a.md', 'a.JSON', 'a.png', 'a.tar.gz', 'a.pptx'].map(name)
    expect(names).toEqual(['.md', '.json', '.png', '.gz', '.pptx'])
  })

  it('[BY-9] active files are stored as plain text', () => {
    for (const extension of ACTIVE) {
      expect([extension, /html|xml|svg/.test(inertContentType(`a.${extension}`))]).toEqual([
        extension,
        false,
      ])
    }
  })
})
