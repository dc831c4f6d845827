import type { Diagnostic, Severity } from 'skillshelf'
import { make } from './dom.js'
import { texts } from './texts.js'

/** Remarks that are shown at most. */
const SHOWN = 200
const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

/** What is wrong with files, to be opened by who wants to know: the worst first. */
export function diagnosticNotice(title: string, diagnostics: readonly Diagnostic[]): HTMLElement {
  const sorted = [...diagnostics].sort((a, b) => ORDER[a.severity] - ORDER[b.severity])
  const rest = sorted.length - SHOWN
  return make(
    'details',
    { class: 'notices' },
    make('summary', {}, title),
    make('ul', { class: 'diagnostics' }, ...sorted.slice(0, SHOWN).map(line)),
    rest > 0 && make('p', { class: 'quiet' }, texts.remarks.more(rest)),
  )
}

function line({ severity, message, path, line: at, hint }: Diagnostic): HTMLElement {
  const where = path !== undefined && `${path}${at === undefined ? '' : `, ${texts.remarks.line(at)}`}`
  return make(
    'li',
    {},
    make('span', { class: `severity ${severity}` }, texts.remarks.severity[severity]),
    ' ',
    // The library says it in English.
    make('span', { lang: 'en' }, message, hint !== undefined && `: ${hint}`),
    where && make('span', { class: 'quiet where' }, where),
  )
}
