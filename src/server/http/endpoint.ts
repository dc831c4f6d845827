import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { type ErrorCode, SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'
import type { Shelf } from './shelf.js'

type Fields = z.ZodMiniObject
type Given<Schema extends Fields | undefined> = Schema extends Fields ? z.output<Schema> : Record<never, never>

/** What an endpoint is called with: its inputs, checked. */
export interface Call<
  Params extends Fields | undefined,
  Query extends Fields | undefined,
  Body extends Fields | undefined,
> {
  params: Given<Params>
  query: Given<Query>
  body: Given<Body>
  request: Request
  library: SkillLibrary
  shelf: Shelf
  signal: AbortSignal
}

/** What an answer holds, by its media type. */
export type Content = Readonly<Record<string, z.ZodMiniType | 'bytes' | 'text'>>

/** One operation of the API: what routes it, checks its inputs and describes it. */
export interface Endpoint<
  Params extends Fields | undefined = Fields | undefined,
  Query extends Fields | undefined = Fields | undefined,
  Body extends Fields | undefined = Fields | undefined,
> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** As OpenAPI has it: `/v1/skills/{skill}`. */
  path: string
  name: string
  summary: string
  params?: Params
  query?: Query
  /** JSON; `uploads` are bodies of other kinds. */
  body?: Body
  uploads?: readonly string[]
  /** Answers by status. */
  answers: Readonly<Record<number, { what: string; content?: Content }>>
  problems: readonly ErrorCode[]
  /** Answers are the same as long as the library is: they carry its revision as their ETag. */
  byRevision?: true
  /** Changes the store. */
  writes?: true
  run(call: Call<Params, Query, Body>): Promise<Response>
}

export function endpoint<
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends Fields | undefined = undefined,
>(one: Endpoint<Params, Query, Body>): Endpoint {
  return one as unknown as Endpoint
}

const wording = english().localeError

/** @throws SkillshelfError `invalid-input`, naming what is wrong */
export function checked(schema: Fields | undefined, given: unknown, where: string): Record<string, unknown> {
  if (!schema) return {}
  const read = schema.safeParse(given, { error: wording })
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.') || where}: ${message}`)
  throw new SkillshelfError('invalid-input', faults.slice(0, 5).join('; '), {
    subject: where,
    hint: 'see /openapi.json',
  })
}

/** The JSON schema of what is sent. */
export function jsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>
  return rest
}

/** The query of an address as its schema has it: numbers where it wants numbers, lists where it wants lists. */
export function queryOf(schema: Fields | undefined, search: URLSearchParams): Record<string, unknown> {
  if (!schema) return {}
  const given: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = typeOf(field)
    const all = search.getAll(name)
    const [value = ''] = all
    const isNumber = type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))
    if (all.length > 0) given[name] = type === 'array' || all.length > 1 ? all : isNumber ? Number(value) : value
  }
  return given
}

function typeOf(field: z.core.$ZodType): string {
  return field instanceof z.ZodMiniOptional ? typeOf(field.def.innerType) : field._zod.def.type
}
