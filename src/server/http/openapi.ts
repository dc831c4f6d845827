import * as z from 'zod/mini'
import { PROBLEM_STATUS } from '../../core/error-response.js'
import type { ErrorCode } from '../../core/errors.js'
import { escapeText } from '../../core/sanitize.js'
import type { Endpoint, ResponseContent } from './endpoint.js'
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

const CONDITION_HEADERS = Object.entries({
  'If-Match': 'ETag that the stored skill must have. `*`: any skill must be stored',
  'If-None-Match': '`*`: no skill may be stored. Or an ETag that the stored skill must not have',
}).map(([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }))

/** A SKILL.md. */
const SKILL_FILE = {
  schema: { type: 'string', minLength: 1 },
  example: '---\nname: slides\ndescription: Makes slides.\n---\n\nSketch the story first.\n',
}

function operation(one: Endpoint): Json {
  const { name, summary, params, query, body, uploads, responses, problems, writes, conditional } = one
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
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
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
  return schema === 'bytes' ? {} : { schema: schema === 'text' ? { type: 'string' } : jsonSchema(schema) }
}

function mapValues<T>(object: Readonly<Record<string, T>>, map: (value: T) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}

function parametersOf(schema: Endpoint['params'], location: 'path' | 'query'): Json[] {
  return fieldsOf(schema).map(({ name, required, schema: { description, ...rest } }) => ({
    name,
    in: location,
    required: location === 'path' || required,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}

function jsonSchema(schema: z.ZodMiniType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema)
  return rest
}

function fieldsOf(schema: Endpoint['params']): { name: string; required: boolean; schema: Json }[] {
  if (!schema) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema)
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: { ...(field as Json) },
  }))
}

/** Content security policy of the docs page: styles only, no scripts, nothing from other origins. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:52rem;margin:2rem auto;padding:0 1rem}
code{font:0.9em ui-monospace,monospace;overflow-wrap:anywhere}section{border-top:1px solid #8884;padding:1rem 0}
h2{font-size:1rem;margin:0}h2 b{display:inline-block;min-width:4.5em}p{margin:.25rem 0}table{border-collapse:collapse;width:100%;margin:.5rem 0}
td{padding:.15rem .75rem .15rem 0;vertical-align:top}`

/** Renders the REST API as an HTML page. */
export function docsPage(endpoints: readonly Endpoint[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>skillshelf: API</title><style>${STYLE}</style>
<main><h1>skillshelf: API</h1>
<p>OpenAPI document: <a href="openapi.json">openapi.json</a>. MCP endpoint: <code>mcp</code>. Install skills with <code>npx skills add</code> and the address of this server. Errors are <code>application/problem+json</code> with a <code>code</code>.</p>
${endpoints.map(section).join('\n')}
</main></html>`
}

function section({ method, path, summary, params, query, body, uploads, responses, problems }: Endpoint): string {
  const rows = [
    ...fieldRows(params, 'path'),
    ...fieldRows(query, 'query'),
    ...fieldRows(body, 'body'),
    ...(uploads ?? []).map(type => row(type, 'body', '')),
  ]
  const successes = Object.entries(responses).map(([status, { description }]) => `${status}: ${description}`)
  return `<section><h2><b>${method.toUpperCase()}</b> <code>${escapeText(path)}</code></h2><p>${escapeText(summary)}.</p>
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}<p>${escapeText([...successes, ...problems].join(' · '))}</p></section>`
}

function fieldRows(schema: Endpoint['params'], location: string): string[] {
  return fieldsOf(schema).map(({ name, required, schema: { description = '' } }) =>
    row(required ? name : `${name}?`, location, String(description)),
  )
}

function row(name: string, location: string, description: string): string {
  return `<tr><td><code>${escapeText(name)}</code></td><td>${location}</td><td>${escapeText(description)}</td></tr>`
}
