import { describe, expect, it } from 'vitest'
import { isSkillshelfError } from '../../src/core/errors.js'
import { misspelledName, similarNames } from '../../src/core/text/nearest-name.js'
import { createLookup } from '../../src/library/catalog/lookup.js'
import type { SkillSummary } from '../../src/skill/skill.js'

const summary = (id: string, name: string, displayName?: string): SkillSummary => ({
  id,
  name,
  ...(displayName === undefined ? {} : { displayName }),
  description: 'd',
  tags: [],
  origin: id.split('/')[0] as string,
  path: id.split('/').slice(1).join('/'),
  digest: '',
  tokens: { metadata: 1, instructions: 1 },
})

/** The id of the skill found, or the code and candidates of the error. */
function find(
  skills: readonly SkillSummary[],
  name: string,
  hidden: readonly SkillSummary[] = [],
): unknown {
  try {
    return createLookup(skills, new Map(hidden.map(one => [one.id, one]))).find(name).id
  } catch (error) {
    if (!isSkillshelfError(error)) throw error
    return [error.code, ...(error.details.candidates ?? [])]
  }
}

it('[BY-9] long names are compared with ids only', () => {
  const long = 'n'.repeat(2_000)
  expect(find([summary(long, 'a')], long)).toBe(long)
  expect(find([summary('x/a', long)], long)).toEqual(['skill-not-found'])
  expect(find([summary('x/a', long)], long.slice(0, 1_024))).toEqual(['skill-not-found', long])
})

describe('lookup', () => {
  const skills = [
    summary('x/a', 'pdf', 'PDF Tools'),
    summary('x/b', 'PDF'),
    summary('x/c', 'x/a'),
    summary('x/d', 'Deep_Research', '深度调研'),
    summary('x/e', 'minutes', 'pdf'),
    summary('x/f', 'Fax'),
    summary('x/g', 'FAX'),
    summary('x/h', 'straße', 'Fax machine'),
    summary('x/i', 'café'),
    summary('x/tools', 'hammer'),
    summary('x/tool-box', 'tools'),
    summary('x/one/shared', 'first'),
    summary('x/two/shared', 'second'),
  ]
  it.each([
    ['an id before a name', 'x/a', 'x/a'],
    ['a name before a display name', 'pdf', 'x/a'],
    ['an exact name before a folded one', 'PDF', 'x/b'],
    ['an ambiguous folded name', 'Pdf', ['ambiguous-name', 'x/a', 'x/b']],
    ['a display name', 'PDF Tools', 'x/a'],
    ['a display name in Han', '深度调研', 'x/d'],
    ['a folded name', 'DEEP_RESEARCH', 'x/d'],
    ['a folded display name', 'pdf tools', 'x/a'],
    ['a name in full width', 'ｍｉｎｕｔｅｓ', 'x/e'],
    ['a name in another Unicode form', 'cafe\u0301', 'x/i'],
    ['surrounding spaces', ' minutes ', 'x/e'],
    ['two names that differ only in case', 'fax', ['ambiguous-name', 'x/f', 'x/g']],
    ['either of them, exact', 'FAX', 'x/g'],
    ['a similar name', 'minute', ['skill-not-found', 'minutes']],
    ['a name without similar names', 'zzz', ['skill-not-found']],
    ['an id in another case', 'X/A', 'x/c'],
    ['a folder', 'h', 'x/h'],
    ['a folded folder', 'H', 'x/h'],
    ['a name before a folder', 'tools', 'x/tool-box'],
    ['a folder that two skills have', 'shared', ['ambiguous-name', 'x/one/shared', 'x/two/shared']],
    ['a property name of every object', 'constructor', ['skill-not-found']],
  ])('[OS-2] %s', (_, name, found) => {
    expect(find(skills, name)).toEqual(found)
  })

  it('[AC-2] finds shadowed skills only by id', () => {
    const [shown, hidden] = [summary('a/pdf', 'pdf'), summary('b/pdf', 'pdf', 'Hidden')]
    expect(find([shown], 'b/pdf', [hidden])).toBe('b/pdf')
    expect(find([shown], 'pdf', [hidden])).toBe('a/pdf')
    expect(find([shown], 'Hidden', [hidden])).toEqual(['skill-not-found'])
  })

  it('[AC-2] errors name the missing skill, the candidates and the fix', () => {
    const lookup = createLookup(skills, new Map())
    const message = 'Skill "deep-reserch" not found (similar names: Deep_Research)'
    const missing = expect.objectContaining({ code: 'skill-not-found', message })
    expect(() => lookup.find('deep-reserch')).toThrow(missing)
    expect(() => lookup.find('fax')).toThrow('2 skills are named "fax": x/f, x/g (use the id)')
    expect(() => lookup.find('z'.repeat(5_000))).toThrow(/^.{0,300}$/)
    for (const name of [undefined, null, 7, {}])
      expect(() => lookup.find(name as never)).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      )
  })

  it('[AC-2] the message shortens a long list of candidates; details keep all', () => {
    const many = Array.from({ length: 40 }, (_, at) => summary(`x/${at}`, 'same'))
    const found = find(many, 'same') as string[]
    expect(found).toHaveLength(41)
    expect(() => createLookup(many, new Map()).find('same')).toThrow(/x\/4 and 35 more/)
  })

  it('[AC-2] similarNames returns each name once, best first', () => {
    const names = ['book-flight', 'book_flights', 'book-hotel', 'translate', 'book-flight']
    expect(similarNames('book flight', names)).toEqual([
      'book-flight',
      'book_flights',
      'book-hotel',
    ])
    expect(similarNames('book flight', names, 1)).toEqual(['book-flight'])
    expect(similarNames('', [])).toEqual([])
  })

  it('[AC-2] misspelledName accepts one typing error, two in a long name', () => {
    const names = ['name', 'description', 'license']
    expect(
      ['NAME', 'nmae', 'nam', 'descripton', 'discripton', 'lisense'].map(one =>
        misspelledName(one, names),
      ),
    ).toEqual(['name', 'name', 'name', 'description', 'description', 'license'])
    expect(['nm', 'licnese1', 'title'].map(one => misspelledName(one, names))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
