import { describe, expect, it } from 'vitest'
import {
  asSkillshelfError,
  type ErrorCode,
  type ErrorData,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../src/core/errors.js'

const CODES = {
  aborted: 1,
  'ambiguous-name': 1,
  closed: 1,
  conflict: 1,
  format: 1,
  'invalid-input': 1,
  'invalid-path': 1,
  'model-failed': 1,
  'module-failed': 1,
  'not-allowed': 1,
  'not-loaded': 1,
  'resource-not-found': 1,
  'skill-not-found': 1,
  'source-failed': 1,
  'source-not-found': 1,
  'storage-full': 1,
  'thread-failed': 1,
  'too-large': 1,
  unsupported: 1,
  untrusted: 1,
} satisfies Record<ErrorCode, 1>

const DETAILS = {
  subject: 'tea',
  candidates: ['a/tee', 'b/tea'],
  status: 404,
  hint: 'ask for coffee',
}
const error = (code: ErrorCode): SkillshelfError =>
  new SkillshelfError(code, 'There is no tea', DETAILS)

describe('serialization', () => {
  it.each(Object.keys(CODES) as ErrorCode[])(
    '[AC-5] %s survives JSON and structured clone',
    code => {
      const sent = error(code)
      for (const data of [
        JSON.parse(JSON.stringify(sent)),
        structuredClone(sent.toJSON()),
      ] as ErrorData[]) {
        const received = SkillshelfError.from(data)
        expect(received).toBeInstanceOf(SkillshelfError)
        expect(received.code).toBe(code)
        expect(received.name).toBe(sent.name)
        expect(received.message).toBe('There is no tea (ask for coffee)')
        expect(received.details).toEqual(sent.details)
        expect(received.toJSON()).toEqual(sent.toJSON())
      }
    },
  )

  it('repeated serialization does not repeat the hint', () => {
    let data = error('format').toJSON()
    for (let turn = 0; turn < 3; turn++)
      data = SkillshelfError.from(JSON.parse(JSON.stringify(data))).toJSON()
    expect(data.message).toBe('There is no tea (ask for coffee)')
  })

  it('contains only data', () => {
    const data = new SkillshelfError('format', 'Bad', {}, new Error('secret')).toJSON()
    expect(data).toEqual({ code: 'format', message: 'Bad' })
  })

  it('a hint that is not in the message is appended once', () => {
    expect(SkillshelfError.from({ code: 'format', message: 'Bad', hint: 'mend it' }).message).toBe(
      'Bad (mend it)',
    )
  })
})

describe('names and causes', () => {
  it('an aborted error is named AbortError, all others SkillshelfError', () => {
    expect(error('aborted').name).toBe('AbortError')
    expect(error('closed').name).toBe('SkillshelfError')
  })

  it('keeps the cause', () => {
    const cause = new Error('why')
    expect(new SkillshelfError('format', 'Bad', {}, cause).cause).toBe(cause)
    expect('cause' in new SkillshelfError('format', 'Bad')).toBe(false)
  })

  it('isSkillshelfError checks the code', () => {
    expect(isSkillshelfError(error('closed'))).toBe(true)
    expect(isSkillshelfError(error('closed'), 'format', 'closed')).toBe(true)
    expect(isSkillshelfError(error('closed'), 'format')).toBe(false)
    expect(isSkillshelfError({ code: 'closed' })).toBe(false)
  })
})

it('throwIfAborted throws only if the signal has fired, with its reason as cause', () => {
  const controller = new AbortController()
  expect(() => throwIfAborted(undefined)).not.toThrow()
  expect(() => throwIfAborted(controller.signal)).not.toThrow()
  controller.abort('enough')
  const aborted = expect.objectContaining({ code: 'aborted', name: 'AbortError', cause: 'enough' })
  expect(() => throwIfAborted(controller.signal)).toThrow(aborted)
})

describe('asSkillshelfError', () => {
  it.each<[string, unknown, ErrorCode, string]>([
    ['an error', new TypeError('no net'), 'source-failed', 'Reading: no net'],
    ['a string', 'no net', 'source-failed', 'Reading: no net'],
    ['undefined', undefined, 'source-failed', 'Reading: undefined'],
    ['an object without a message', Object.create(null), 'source-failed', 'Reading: unknown'],
    ['an abort', new DOMException('stop', 'AbortError'), 'aborted', 'The operation was aborted'],
  ])('wraps %s', (_, thrown, code, message) => {
    const made = asSkillshelfError(thrown, 'source-failed', 'Reading', { subject: 'x' })
    expect(made).toMatchObject({ code, message })
    expect(made.cause).toBe(thrown)
  })

  it('returns a SkillshelfError unchanged', () => {
    const own = error('closed')
    expect(asSkillshelfError(own, 'format', 'Reading')).toBe(own)
  })
})
