import type { Diagnostic, Severity } from 'skillshelf'
import { make } from './dom.js'
import { texts } from './texts.js'

const MAX_SHOWN = 200
const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

/** A collapsed list of diagnostics, errors first. */
export function diagnosticList(title: string, diagnostics: readonly Diagnostic[]): HTMLElement {
  const sorted = [...diagnostics].sort((a, b) => ORDER[a.severity] - ORDER[b.severity])
  const rest = sorted.length - MAX_SHOWN
  return make(
    'details',
    { class: 'notices' },
    make('summary', {}, title),
    make('ul', { class: 'diagnostics' }, ...sorted.slice(0, MAX_SHOWN).map(item)),
    rest > 0 && make('p', { class: 'muted' }, texts.diagnostics.more(rest)),
  )
}

function item({ severity, message, path, line, hint }: Diagnostic): HTMLElement {
  const where =
    path !== undefined && `${path}${line === undefined ? '' : `, ${texts.diagnostics.line(line)}`}`
  return make(
    'li',
    {},
    make('span', { class: `severity ${severity}` }, texts.diagnostics.severity[severity]),
    ' ',
    // Messages of the library are in English.
    make('span', { lang: 'en' }, message, hint !== undefined && `: ${hint}`),
    where && make('span', { class: 'muted where' }, where),
  )
}
