import type { Diagnostic } from 'skillshelf'
import { make } from './dom.js'

/** What is wrong with files, to be opened by who wants to know. */
export function diagnosticNotice(title: string, diagnostics: readonly Diagnostic[]): HTMLElement {
  return make(
    'details',
    { class: 'notices' },
    make('summary', {}, title),
    make('ul', { class: 'diagnostics' }, ...diagnostics.map(line)),
  )
}

function line({ severity, message, path, line: at, hint }: Diagnostic): HTMLElement {
  const where = path !== undefined && ` (${path}${at === undefined ? '' : `, line ${at}`})`
  return make(
    'li',
    {},
    make('span', { class: `severity ${severity}` }, severity),
    ` ${message}`,
    hint !== undefined && `: ${hint}`,
    where && make('span', { class: 'quiet' }, where),
  )
}
