import type { LibrarySnapshot } from 'skillshelf'
import { make } from './dom.js'

export interface Trouble {
  what: string
  detail?: string
}

/** Why there is nothing to search, in plain words; `undefined` where there is something. */
export function troubleOf({ skills, diagnostics }: LibrarySnapshot): Trouble | undefined {
  const failed = diagnostics.find(({ code }) => code === 'source-missing' || code === 'source-unreadable')
  if (failed?.code === 'source-missing') return { what: 'There are no packed skills beside this page yet.' }
  if (failed) return { what: 'The skills could not be read.', detail: failed.message }
  if (skills.length === 0) return { what: 'The library was opened, but there is no skill in it.' }
  return undefined
}

/** What happened and what to do about it. */
export function troubleView({ what, detail }: Trouble, again: () => void): HTMLElement {
  const button = make('button', { type: 'button', class: 'again' }, 'Try again')
  button.addEventListener('click', again)
  return make(
    'div',
    { class: 'trouble', role: 'alert' },
    make('p', {}, make('strong', {}, what)),
    detail !== undefined && make('p', { class: 'quiet' }, detail),
    make('p', {}, 'Pack a folder of skills into the folder ', make('code', {}, 'skills'), ' beside this page:'),
    make('pre', {}, 'npx skillshelf pack demo/skills --out demo/public/skills'),
    button,
  )
}
