import { escapeText } from '../../core/sanitize.js'
import { type Endpoint, jsonSchema } from './endpoint.js'

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
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description = '' }]) =>
    row(`${name}${required.includes(name) ? '' : '?'}`, location, description),
  )
}

function row(name: string, location: string, description: string): string {
  return `<tr><td><code>${escapeText(name)}</code></td><td>${location}</td><td>${escapeText(description)}</td></tr>`
}
