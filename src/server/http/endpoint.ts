import * as z from 'zod/mini'
import { type ErrorCode, SkillshelfError } from '../../core/errors.js'
import { inputError, issueLines } from '../../core/input-errors.js'
import type { SkillLibrary } from '../../library/types.js'
import type { ServedLibrary } from './served-library.js'

type Fields = z.ZodMiniObject
type Parsed<Schema extends Fields | undefined> = Schema extends Fields ? z.output<Schema> : Record<never, never>

/** Validated inputs of one request. */
export interface EndpointCall<
  Params extends Fields | undefined,
  Query extends Fields | undefined,
  Body extends Fields | undefined,
> {
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
  request: Request
  library: SkillLibrary
  served: ServedLibrary
  signal: AbortSignal
}

/** Response schemas by media type. */
export type ResponseContent = Readonly<Record<string, z.ZodMiniType | 'bytes' | 'text'>>

/** One operation of the REST API. The router, the input checks, the OpenAPI document and the docs page all read it. */
export interface Endpoint<
  Params extends Fields | undefined = Fields | undefined,
  Query extends Fields | undefined = Fields | undefined,
  Body extends Fields | undefined = Fields | undefined,
> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** Path in OpenAPI syntax: `/v1/skills/{skill}`. */
  path: string
  /** OpenAPI `operationId`. */
  name: string
  summary: string
  params?: Params
  query?: Query
  /** Schema of a JSON body. */
  body?: Body
  /** Media types of a binary body. */
  uploads?: readonly string[]
  /** Responses by status. */
  responses: Readonly<Record<number, { description: string; content?: ResponseContent }>>
  problems: readonly ErrorCode[]
  /** Honors `If-Match` and `If-None-Match` of the stored skill. Otherwise 412. */
  conditional?: true
  /** The response depends on the library's snapshot alone, so its ETag is the snapshot's. */
  taggedByRevision?: true
  /** Needs the write token. */
  writes?: true
  run(call: EndpointCall<Params, Query, Body>): Promise<Response>
}

/** Infers the input types of an endpoint. */
export function endpoint<
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends Fields | undefined = undefined,
>(one: Endpoint<Params, Query, Body>): Endpoint {
  return one as unknown as Endpoint
}

/** @throws SkillshelfError `invalid-input` with the first five issues */
export function parseInput(schema: Fields | undefined, input: unknown, where: string): Record<string, unknown> {
  if (!schema) return {}
  const result = schema.safeParse(input, { error: inputError })
  if (result.success) return result.data
  throw new SkillshelfError('invalid-input', issueLines(result.error, where).slice(0, 5).join('; '), {
    subject: where,
    hint: 'see /openapi.json',
  })
}

export function jsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>
  return rest
}

/**
 * Converts query parameters to the types of the schema: numbers and lists.
 * @throws SkillshelfError `invalid-input` for a parameter that the schema lacks, such as a misspelled one
 */
export function parseQuery(schema: Fields | undefined, search: URLSearchParams): Record<string, unknown> {
  if (!schema) return {}
  const unknown = [...search.keys()].find(name => !Object.hasOwn(schema.shape, name))
  if (unknown !== undefined)
    throw new SkillshelfError('invalid-input', `Unknown query parameter ${JSON.stringify(unknown.slice(0, 80))}`, {
      subject: 'query',
      candidates: Object.keys(schema.shape),
      hint: `the parameters are ${Object.keys(schema.shape).join(', ')}`,
    })
  const query: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = typeOf(field)
    const all = search.getAll(name)
    const [value = ''] = all
    const isNumber = type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))
    if (all.length > 0) query[name] = type === 'array' || all.length > 1 ? all : isNumber ? Number(value) : value
  }
  return query
}

function typeOf(field: z.core.$ZodType): string {
  return field instanceof z.ZodMiniOptional ? typeOf(field.def.innerType) : field._zod.def.type
}
