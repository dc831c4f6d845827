import * as z from 'zod/mini'
import { type ErrorCode, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { inputError, issueLines } from '../../core/input-errors.js'
import { tryDecode } from '../../core/paths.js'
import { parseJson } from '../../core/plain-data.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { matchesTag, notModified, snapshotTag } from './responses.js'
import type { ServedLibrary } from './served-library.js'

type Fields = z.ZodMiniObject | undefined
type Parsed<Schema> = Schema extends z.ZodMiniObject ? z.output<Schema> : Record<never, never>

export interface RequestContext {
  request: Request
  library: SkillLibrary
  options: ServedLibrary
  signal: AbortSignal
}

export interface EndpointCall<Params extends Fields, Query extends Fields, Body extends Fields>
  extends RequestContext {
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
}

/** Response schemas by media type. */
export type ResponseContent = Readonly<Record<string, z.ZodMiniType | 'bytes' | 'text'>>

/** One operation of the REST API. The router, the input checks, the OpenAPI document and the docs page all read it. */
export interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Fields = Fields,
> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** Path in OpenAPI syntax: `/v1/skills/{skill}`. */
  path: string
  /** OpenAPI `operationId`. */
  name: string
  summary: string
  params?: Params
  query?: Query
  body?: Body
  /** Media types of a binary body. */
  uploads?: readonly string[]
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
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Body extends Fields = undefined,
>(one: Endpoint<Params, Query, Body>): Endpoint {
  return one as unknown as Endpoint
}

/** The responses of an endpoint that answers with JSON. */
export function okJson(description: string, schema: z.ZodMiniType): Endpoint['responses'] {
  return { 200: { description, content: { 'application/json': schema } } }
}

/** Validates the inputs of a request and runs its endpoint. Reads answer 304, and run again once if a file is gone from the source. */
export async function runEndpoint(
  one: Endpoint,
  params: Readonly<Record<string, string>>,
  context: RequestContext,
) {
  const { request, library, signal } = context
  const call = {
    ...context,
    params: parseInput(one.params, params, 'path'),
    query: parseInput(one.query, parseQuery(one.query, new URL(request.url).searchParams), 'query'),
    body: one.body ? parseInput(one.body, await jsonBody(request), 'body') : {},
  }
  if (one.writes) return one.run(call)
  const run = (): Promise<Response> => (one.taggedByRevision ? runTagged(one, call) : one.run(call))
  const { revision } = library.snapshot
  try {
    return await run()
  } catch (error) {
    if (!isSkillshelfError(error, 'source-failed')) throw error
    // The file may be gone from the source.
    await library.refresh({ signal }).catch(() => undefined)
    if (library.snapshot.revision === revision) throw error
    return run()
  }
}

/** Runs an endpoint whose ETag is that of the snapshot. */
async function runTagged(
  one: Endpoint,
  call: EndpointCall<Fields, Fields, Fields>,
  again = true,
): Promise<Response> {
  const { library, request } = call
  const { snapshot } = library
  const etag = snapshotTag(snapshot)
  const isCached = matchesTag(request.headers.get('if-none-match'), etag)
  const unchanged = isCached ? notModified({ etag, 'cache-control': 'no-cache' }) : undefined
  // With path parameters, `run` must first find that the skill exists.
  if (unchanged && !one.params) return unchanged
  const response = await one.run(call)
  // If the library changed meanwhile, such as to find a file that a writer had replaced, neither tag is right.
  if (library.snapshot !== snapshot) return again ? runTagged(one, call, false) : response
  response.headers.set('etag', etag)
  return unchanged ?? response
}

async function jsonBody(request: Request): Promise<unknown> {
  const body = parseJson(await request.text())
  if (body !== undefined) return body
  throw new SkillshelfError('invalid-input', 'The request body is not valid JSON', {
    subject: 'body',
  })
}

/** @throws SkillshelfError `invalid-input` with the first five issues */
export function parseInput<Schema extends Fields>(
  schema: Schema,
  input: unknown,
  where: string,
): Parsed<Schema> {
  const result = schema?.safeParse(input, { error: inputError })
  if (!result || result.success) return (result?.data ?? {}) as Parsed<Schema>
  throw new SkillshelfError(
    'invalid-input',
    issueLines(result.error, where).slice(0, 5).join('; '),
    {
      subject: where,
      hint: 'see /openapi.json',
    },
  )
}

/** Converts query parameters to the types of the schema. @throws SkillshelfError `invalid-input` for one that the schema lacks */
export function parseQuery(schema: Fields, search: URLSearchParams): Record<string, unknown> {
  if (!schema) return {}
  const names = Object.keys(schema.shape)
  const unknown = [...search.keys()].find(name => !names.includes(name))
  if (unknown !== undefined) {
    throw new SkillshelfError(
      'invalid-input',
      `Unknown query parameter ${JSON.stringify(unknown.slice(0, 80))}`,
      {
        subject: 'query',
        candidates: names,
        hint: `the parameters are ${names.join(', ')}`,
      },
    )
  }
  const query: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const values = search.getAll(name)
    if (values.length > 0) query[name] = convertValues(values, typeOf(field))
  }
  return query
}

/** Values that do not fit stay as they are: the check of the input reports them. */
function convertValues(values: readonly string[], type: string): unknown {
  const [value = ''] = values
  if (type === 'array' || values.length > 1) return values
  const isNumber = type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))
  return isNumber ? Number(value) : value
}

function typeOf(field: z.core.$ZodType): string {
  return field instanceof z.ZodMiniOptional ? typeOf(field.def.innerType) : field._zod.def.type
}

/** Decodes a part of a path. A wrong encoding stays as it is. */
export function decodePart(part: string): string {
  return tryDecode(part) ?? part
}
