import { escapeText } from '../../core/sanitize.js'
import type { Endpoint } from './endpoint.js'
import { jsonSchema } from './endpoint.js'

/** Shown without scripts or anything from elsewhere. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:52rem;margin:2rem auto;padding:0 1rem}
code{font:0.9em ui-monospace,monospace;overflow-wrap:anywhere}section{border-top:1px solid #8884;padding:1rem 0}
h2{font-size:1rem;margin:0}h2 b{display:inline-block;min-width:4.5em}p{margin:.25rem 0}table{border-collapse:collapse;width:100%;margin:.5rem 0}
td{padding:.15rem .75rem .15rem 0;vertical-align:top}`

/** The operations of the API as a page for people. */
export function docsPage(endpoints: readonly Endpoint[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>skillshelf: API</title><style>${STYLE}</style>
<main><h1>skillshelf: API</h1>
<p>Machines read <a href="openapi.json">openapi.json</a>. MCP clients connect to <code>mcp</code>, <code>npx skills add</code> to the address of this shelf. Errors are <code>application/problem+json</code> with a <code>code</code>.</p>
${endpoints.map(sectionOf).join('\n')}
</main></html>`
}

function sectionOf({ method, path, summary, params, query, body, uploads, answers, problems }: Endpoint): string {
  const rows = [
    ...rowsOf(params, 'path'),
    ...rowsOf(query, 'query'),
    ...rowsOf(body, 'body'),
    ...(uploads ?? []).map(type => row(type, 'body', '')),
  ]
  const given = Object.entries(answers).map(([status, { what }]) => `${status}: ${what}`)
  return `<section><h2><b>${method.toUpperCase()}</b> <code>${escapeText(path)}</code></h2><p>${escapeText(summary)}.</p>
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}<p>${escapeText([...given, ...problems].join(' · '))}</p></section>`
}

function rowsOf(schema: Endpoint['params'], where: string): string[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description = '' }]) =>
    row(`${name}${required.includes(name) ? '' : '?'}`, where, description),
  )
}

function row(name: string, where: string, what: string): string {
  return `<tr><td><code>${escapeText(name)}</code></td><td>${where}</td><td>${escapeText(what)}</td></tr>`
}
