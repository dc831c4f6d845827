import { describe, expect, it } from 'vitest'
import { mediaType } from '../../src/skill/media-types.js'

describe('mediaType', () => {
  it('[BY-9] is text/plain for every file that a browser runs as a document or script', () => {
    for (const extension of [
      ...['html', 'HTM', 'xhtml', 'xht', 'shtml', 'shtm', 'xml', 'xsl', 'xslt', 'rdf', 'rss', 'atom', 'mathml', 'smil'],
      ...['js', 'mjs', 'cjs', 'ts', 'ecma', 'py', 'sh'],
    ])
      expect([extension, mediaType(`a/page.${extension}`)]).toEqual([extension, 'text/plain'])
  })

  it('keeps the types of images, data and documents', () => {
    expect(['a.svg', 'a.png', 'a.json', 'a.md', 'a.pdf', 'a.unknown', 'LICENSE'].map(mediaType)).toEqual([
      'image/svg+xml',
      'image/png',
      'application/json',
      'text/markdown',
      'application/pdf',
      'application/octet-stream',
      'text/plain',
    ])
  })
})
