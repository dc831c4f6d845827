import { diagnosticNotice } from './diagnostics.js'
import { type Child, make } from './dom.js'
import type { Trouble } from './opening.js'
import { texts } from './texts.js'

export interface Remedies {
  /** Left out where nothing can change. */
  again?: () => void
  other: () => void
  /** Left out where the samples are what failed. */
  samples?: () => void
  /** Left out where there is nothing else to see. */
  close?: () => void
}

/** What happened, where, and what to do about it. */
export function troubleView(trouble: Trouble, { again, other, samples, close }: Remedies): HTMLElement {
  const button = (text: string, act: (() => void) | undefined): Child => {
    if (!act) return undefined
    const made = make('button', { type: 'button', class: 'button' }, text)
    made.addEventListener('click', act)
    return made
  }
  return make(
    'section',
    { class: 'trouble', role: 'alert', tabindex: '-1' },
    ...toldTrouble(trouble),
    make(
      'p',
      { class: 'buttons' },
      button(texts.trouble.again, again),
      button(texts.trouble.other, other),
      button(texts.trouble.samples, samples),
      button(texts.trouble.close, close),
    ),
  )
}

/** The same without remedies, for where they stand beside it. */
export function toldTrouble(trouble: Trouble): Node[] {
  const [what, ...rest] = told(trouble)
  return [make('p', {}, make('strong', {}, what)), ...rest.filter(child => child instanceof Node)]
}

function told(trouble: Trouble): [what: string, ...Child[]] {
  const say = texts.trouble
  const how = (text: string): HTMLElement => make('p', {}, text)
  const quiet = (text: string, attributes = {}): HTMLElement => make('p', { class: 'quiet', ...attributes }, text)
  const code = (text: string): HTMLElement => make('pre', {}, text)
  switch (trouble.kind) {
    case 'no-samples':
      return [say.missingSamples, ...packSamples()]
    case 'unreadable-samples':
      return [say.unreadableSamples, quiet(trouble.detail, { lang: 'en' }), ...packSamples()]
    case 'empty':
      return [say.emptyLibrary]
    case 'not-packed':
      return [
        say.notPacked(trouble.where),
        quiet(say.notPackedWhy('skillshelf.json')),
        how(say.pack),
        code('npx skillshelf pack ./skills --out ./public/skills'),
      ]
    case 'status':
      return [say.status(trouble.where, trouble.status), how(say.statusHow)]
    case 'no-answer':
      return [say.noAnswer(trouble.where), how(say.noAnswerHow)]
    case 'cors':
      return [say.cors(trouble.where), how(say.corsHow), code(`Access-Control-Allow-Origin: ${location.origin}`)]
    case 'policy':
      return [say.policy(trouble.where), how(say.policyHow)]
    case 'bad-address':
      return [say.badAddress(trouble.where), how(say.badAddressHow)]
    case 'damaged':
      return [say.damaged(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.damagedHow)]
    case 'no-skills':
      return [
        say.noSkills(trouble.where),
        quiet(say.noSkillsWhy(trouble.amount)),
        trouble.diagnostics.length > 0 &&
          diagnosticNotice(texts.remarks.onLibrary(trouble.diagnostics.length), trouble.diagnostics),
        how(say.noSkillsHow),
        code('npx skillshelf new my-skill --dir ./skills'),
      ]
    case 'folder-failed':
      return [say.folderFailed(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.folderFailedHow)]
    case 'archive-broken':
      return [say.archiveBroken(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.archiveBrokenHow)]
    case 'archive-locked':
      return [say.archiveLocked(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.archiveLockedHow)]
    case 'archive-large':
      return [say.archiveLarge(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.archiveLargeHow)]
    case 'no-room':
      return [say.noRoom(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.noRoomHow)]
    case 'no-store':
      return [say.noStore, how(say.noStoreHow)]
    case 'not-kept':
      return [say.notKept(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.notKeptHow)]
    case 'not-done':
      return [say.notDone(trouble.where), quiet(trouble.detail, { lang: 'en' }), how(say.notKeptHow)]
    case 'folder-gone':
      return [say.folderGone(trouble.where), how(say.folderGoneHow)]
  }
}

function packSamples(): Node[] {
  return [
    make('p', {}, ...texts.trouble.packSamples(make('code', {}, 'skills'))),
    make('pre', {}, 'npx skillshelf pack demo/skills --out demo/public/skills --meaning'),
  ]
}
