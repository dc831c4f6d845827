import { type Endpoint, jsonSchema } from './endpoint.js'
import * as shape from './schemas.js'

type Json = Record<string, unknown>

/** Answers that any operation may give. */
const ALWAYS = { 401: 'The token is missing or wrong', 429: 'Too many requests', 503: 'Not now; see Retry-After' }
const STATUS: Readonly<Record<string, readonly number[]>> = {
  'invalid-input': [400],
  'invalid-path': [400],
  'not-allowed': [403],
  'ambiguous-name': [409],
  conflict: [409],
  'skill-not-found': [404],
  'resource-not-found': [404],
  'source-failed': [503],
  'too-large': [413],
  unsupported: [415],
}

/** The OpenAPI 3.1 document of these operations. Nothing in it depends on the host that it is asked from. */
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
        'Agent skills: finds the right one for a message, and opens only what is needed. Nothing is executed.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.' }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(shape.problem) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operation({ name, summary, params, query, body, uploads, answers, problems, writes }: Endpoint): Json {
  const told = Object.entries(answers).map(([status, { what, content }]) => [
    status,
    { description: what, ...(content ? { content: contentOf(content) } : {}) },
  ])
  // An input that is sent can always be wrong.
  const codes = new Set([...problems.flatMap(code => STATUS[code] ?? []), ...(params || query || body ? [400] : [])])
  const failures: [string, string][] = [
    ...[...codes].map((status): [string, string] => [
      String(status),
      problems.filter(code => STATUS[code]?.includes(status)).join(', ') || 'invalid-input',
    ]),
    ...(body || uploads ? [['413', 'too-large'] as [string, string]] : []),
    ...Object.entries(ALWAYS),
  ]
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return {
    operationId: name,
    summary,
    ...(params || query ? { parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')] } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body) } } } } : {}),
    ...(uploads
      ? { requestBody: { required: true, content: Object.fromEntries(uploads.map(type => [type, {}])) } }
      : {}),
    responses: {
      ...Object.fromEntries(failures.map(([status, description]) => [status, { description, content: problem }])),
      ...Object.fromEntries(told),
    },
    security: writes ? [{ token: [] }] : [{}, { token: [] }],
  }
}

function contentOf(content: NonNullable<Endpoint['answers'][number]['content']>): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      schema === 'bytes' ? {} : { schema: schema === 'text' ? { type: 'string' } : jsonSchema(schema) },
    ]),
  )
}

function parametersOf(schema: Endpoint['params'], where: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}
