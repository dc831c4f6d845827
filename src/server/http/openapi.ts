import { PROBLEM_STATUS } from '../../core/problem.js'
import { type Endpoint, jsonSchema } from './endpoint.js'
import * as schemas from './schemas.js'

type Json = Record<string, unknown>

/** Problems that any operation may answer with. */
const COMMON_PROBLEMS = {
  401: 'The bearer token is missing or wrong',
  429: 'Too many requests',
  431: 'The URL or the headers are too long for the platform',
  503: 'Temporarily unavailable; see Retry-After',
}

/** Creates the OpenAPI 3.1 document of the endpoints. It is the same on every host. */
export function openApi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {}
  for (const one of endpoints) paths[one.path] = { ...paths[one.path], [one.method]: operation(one) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'skillshelf',
      version: '1',
      description: 'Finds the agent skill that fits a message and reads its files. Nothing is executed.',
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

const CONDITIONS = {
  'If-Match': 'ETag that the stored skill must have. `*`: any skill must be stored',
  'If-None-Match': '`*`: no skill may be stored. Or an ETag that the stored skill must not have',
}

/** A SKILL.md. */
const SKILL_FILE = {
  schema: { type: 'string', minLength: 1 },
  example: '---\nname: slides\ndescription: Makes slides.\n---\n\nSketch the story first.\n',
}

function operation({
  name,
  summary,
  params,
  query,
  body,
  uploads,
  responses,
  problems,
  writes,
  conditional,
}: Endpoint): Json {
  const successes = Object.entries(responses).map(([status, { description, content }]) => [
    status,
    { description, ...(content ? { content: contentSchemas(content) } : {}) },
  ])
  const statuses = new Set([
    ...problems.map(code => PROBLEM_STATUS[code]),
    ...(params || query || body ? [PROBLEM_STATUS['invalid-input']] : []),
  ])
  const failures: [string, string][] = [
    ...[...statuses].map((status): [string, string] => [
      String(status),
      problems.filter(code => PROBLEM_STATUS[code] === status).join(', ') || 'invalid-input',
    ]),
    ...(body || uploads ? [['413', 'too-large'] as [string, string]] : []),
    ...(conditional ? [['412', 'conflict: If-Match or If-None-Match does not hold'] as [string, string]] : []),
    ...Object.entries(COMMON_PROBLEMS),
  ]
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return {
    operationId: name,
    summary,
    ...(params || query
      ? {
          parameters: [
            ...parameters(params, 'path'),
            ...parameters(query, 'query'),
            ...(conditional ? conditionHeaders() : []),
          ],
        }
      : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body) } } } } : {}),
    ...(uploads
      ? {
          requestBody: {
            required: true,
            content: Object.fromEntries(uploads.map(type => [type, type === 'text/markdown' ? SKILL_FILE : {}])),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(failures.map(([status, description]) => [status, { description, content: problem }])),
      ...Object.fromEntries(successes),
    },
    security: writes ? [{ token: [] }] : [{}, { token: [] }],
  }
}

function conditionHeaders(): Json[] {
  return Object.entries(CONDITIONS).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
}

function contentSchemas(content: NonNullable<Endpoint['responses'][number]['content']>): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      schema === 'bytes' ? {} : { schema: schema === 'text' ? { type: 'string' } : jsonSchema(schema) },
    ]),
  )
}

function parameters(schema: Endpoint['params'], location: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}
