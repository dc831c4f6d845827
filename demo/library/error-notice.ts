import { diagnosticList } from '../diagnostics-list.js'
import { type Child, make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import type { PageError } from './open-library.js'

export interface ErrorActions {
  retry?: (() => void) | undefined
  openOther(): void
  openSamples?: (() => void) | undefined
  close?: (() => void) | undefined
}

/** An error with buttons for what to do next. Actions that are `undefined` have no button. */
export function errorNotice(
  error: PageError,
  { retry, openOther, openSamples, close }: ErrorActions,
): HTMLElement {
  const button = (text: string, onClick: (() => void) | undefined): Child =>
    onClick && makeButton(text, onClick)
  const { errors } = texts
  return make(
    'section',
    { class: 'notice', role: 'alert', tabindex: '-1' },
    ...errorText(error),
    make(
      'p',
      { class: 'buttons' },
      button(errors.retry, retry),
      button(errors.openOther, openOther),
      button(errors.samples, openSamples),
      button(errors.close, close),
    ),
  )
}

/** An error without buttons. */
export function errorAlert(error: PageError): HTMLElement {
  return make('div', { class: 'notice', role: 'alert', tabindex: '-1' }, ...errorText(error))
}

/** What happened, the details, and how to fix it. */
export function errorText(error: PageError): Node[] {
  const [message, ...rest] = describe(error)
  return [
    make('p', {}, make('strong', {}, message)),
    ...rest.filter(child => child instanceof Node),
  ]
}

function describe(error: PageError): [message: string, ...Child[]] {
  const { errors } = texts
  const hint = (text: string): HTMLElement => make('p', {}, text)
  const detail = (text: string): HTMLElement => make('p', { class: 'muted' }, text)
  // Messages of the library are in English.
  const cause = ({ detail }: { detail: string }): HTMLElement =>
    make('p', { class: 'muted', lang: 'en' }, detail)
  const code = (text: string): HTMLElement => make('pre', {}, text)
  switch (error.kind) {
    case 'samples-missing':
      return [errors.samplesMissing, ...packSamples()]
    case 'samples-unreadable':
      return [errors.samplesUnreadable, cause(error), ...packSamples()]
    case 'empty':
      return [errors.emptyLibrary]
    case 'not-packed':
      return [
        errors.notPacked(error.where),
        detail(errors.notPackedDetail('skillshelf.json')),
        hint(errors.notPackedHint),
        code('npx skillshelf pack ./skills --out ./public/skills'),
      ]
    case 'status':
      return [errors.status(error.where, error.status), hint(errors.statusHint)]
    case 'no-answer':
      return [errors.noAnswer(error.where), hint(errors.noAnswerHint)]
    case 'cors':
      return [
        errors.cors(error.where),
        hint(errors.corsHint),
        code(`Access-Control-Allow-Origin: ${location.origin}`),
      ]
    case 'policy':
      return [errors.policy(error.where), hint(errors.policyHint)]
    case 'invalid-address':
      return [errors.invalidAddress(error.where), hint(errors.invalidAddressHint)]
    case 'damaged':
      return [errors.damaged(error.where), cause(error), hint(errors.damagedHint)]
    case 'no-skills': {
      const { where, files, diagnostics } = error
      return [
        errors.noSkills(where),
        detail(errors.noSkillsDetail(files)),
        diagnostics.length > 0 &&
          diagnosticList(texts.diagnostics.title(diagnostics.length), diagnostics),
        hint(errors.noSkillsHint),
        code('npx skillshelf new my-skill --dir ./skills'),
      ]
    }
    case 'github-missing':
      return [errors.githubMissing(error.where), hint(errors.githubMissingHint)]
    case 'github-limit':
      return [errors.githubLimit, hint(errors.githubLimitHint)]
    case 'github-failed':
      return [errors.githubFailed(error.where), cause(error)]
    case 'invalid-repository':
      return [errors.invalidRepository(error.where), hint(errors.invalidRepositoryHint)]
    case 'folder-unreadable':
      return [errors.folderUnreadable(error.where), cause(error), hint(errors.folderUnreadableHint)]
    case 'folder-gone':
      return [errors.folderGone(error.where), hint(errors.folderGoneHint)]
    case 'archive-damaged':
      return [errors.archiveDamaged(error.where), cause(error), hint(errors.archiveDamagedHint)]
    case 'archive-unsupported':
      return [
        errors.archiveUnsupported(error.where),
        cause(error),
        hint(errors.archiveUnsupportedHint),
      ]
    case 'archive-too-large':
      return [errors.archiveTooLarge(error.where), cause(error), hint(errors.archiveTooLargeHint)]
    case 'storage-full':
      return [errors.storageFull(error.where), cause(error), hint(errors.storageFullHint)]
    case 'storage-unavailable':
      return [errors.storageUnavailable, hint(errors.storageUnavailableHint)]
    case 'storage-failed':
      return [errors.storageFailed(error.where), cause(error), hint(errors.installFailedHint)]
    case 'install-failed':
      return [errors.installFailed(error.where), cause(error), hint(errors.installFailedHint)]
  }
}

function packSamples(): Node[] {
  return [
    make('p', {}, ...texts.errors.packSamples(make('code', {}, 'skills'))),
    make('pre', {}, 'npx skillshelf pack demo/skills --out demo/public/skills'),
  ]
}
