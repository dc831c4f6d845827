import * as z from 'zod/mini'
import { PROBLEM_STATUS } from '../../core/error-response.js'
import type { ErrorCode } from '../../core/errors.js'
import { jsonSchema } from '../../core/input-errors.js'
import type { Endpoint, ResponseContent } from './endpoint.js'
import * as schemas from './schemas.js'

type Json = Record<string, unknown>

const COMMON_PROBLEMS = {
  401: 'The bearer token is missing or wrong',
  429: 'Too many requests',
  431: 'The URL or the headers are too long for the platform',
  503: 'Temporarily unavailable; see Retry-After',
}

/** Creates the OpenAPI 3.1 document of the endpoints. It is the same on every host. */
export function openApi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {}
  for (const one of endpoints) {
    paths[one.path] = { ...paths[one.path], [one.method]: operation(one) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'skillshelf',
      version: '1',
      description:
        'Finds the agent skill that fits a message and reads its files. Nothing is executed.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.' }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(schemas.problem) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const CONDITION_HEADERS = Object.entries({
  'If-Match': 'ETag that the stored skill must have. `*`: any skill must be stored',
  'If-None-Match': '`*`: no skill may be stored. Or an ETag that the stored skill must not have',
}).map(([name, description]) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
}))

const SKILL_FILE = {
  schema: { type: 'string', minLength: 1 },
  example: '---\nname: slides\ndescription: Makes slides.\n---\n\nSketch the story first.\n',
}

function operation(one: Endpoint): Json {
  const { name, summary, params, query, body, uploads, responses, problems, writes, conditional } =
    one
  const parameters = [
    ...parametersOf(params, 'path'),
    ...parametersOf(query, 'query'),
    ...(conditional ? CONDITION_HEADERS : []),
  ]
  const content = uploads
    ? Object.fromEntries(uploads.map(type => [type, type === 'text/markdown' ? SKILL_FILE : {}]))
    : body && { 'application/json': { schema: jsonSchema(body) } }
  const codes = [...problems, ...(params || query || body ? (['invalid-input'] as const) : [])]
  const failures = {
    ...Object.fromEntries(codes.map(code => [PROBLEM_STATUS[code], sameStatus(code, problems)])),
    ...(content ? { 413: 'too-large' } : {}),
    ...(conditional ? { 412: 'conflict: If-Match or If-None-Match does not hold' } : {}),
    ...COMMON_PROBLEMS,
  }
  const problem = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  }
  return {
    operationId: name,
    summary,
    ...(params || query ? { parameters } : {}),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: {
      ...mapValues(failures, description => ({ description, content: problem })),
      ...mapValues(responses, ({ description, content }) => ({
        description,
        ...(content ? { content: mapValues(content, contentSchema) } : {}),
      })),
    },
    security: writes ? [{ token: [] }] : [{}, { token: [] }],
  }
}

/** The problems with the status of a code. */
function sameStatus(code: ErrorCode, problems: readonly ErrorCode[]): string {
  return problems.filter(one => PROBLEM_STATUS[one] === PROBLEM_STATUS[code]).join(', ') || code
}

function contentSchema(schema: ResponseContent[string]): Json {
  return schema === 'bytes'
    ? {}
    : { schema: schema === 'text' ? { type: 'string' } : jsonSchema(schema) }
}

function mapValues<T>(object: Readonly<Record<string, T>>, map: (value: T) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}

function parametersOf(schema: Endpoint['params'], location: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema)
  return Object.entries(properties as Readonly<Record<string, Json>>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }),
  )
}
