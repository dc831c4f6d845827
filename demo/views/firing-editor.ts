import type { SkillLibrary, SkillSummary } from 'skillshelf'
import { anySignal } from '../any-signal.js'
import type { PageContext } from '../context.js'
import { make } from '../dom.js'
import { setText } from '../hidden-text.js'
import { texts } from '../texts.js'
import { yielding } from '../yielding.js'
import { copyButton } from './copy-button.js'
import { type CheckedSkill, countFates, fatesOf, type MessageFate } from './firing.js'
import { draftOf, type OpenedDraft } from './skill-draft.js'

/** Milliseconds without a keystroke before a description is tried. */
const PAUSE = 250

/** One copy of the library for all editors of a view, in which one description is tried at a time. */
export interface Workbench {
  /** Tries a description. A later call replaces an earlier one that has not begun. */
  try(skill: SkillSummary, description: string): Promise<OpenedDraft>
}

export function createWorkbench(context: PageContext, signal: AbortSignal): Workbench {
  let opening: Promise<OpenedDraft> | undefined
  let last: Promise<unknown> = Promise.resolve()
  return {
    try(skill, description) {
      opening ??= draftOf(context, context.library.snapshot.skills, signal)
      // The next try reads the skills again.
      opening.catch(() => {
        opening = undefined
      })
      const opened = opening
      const next = last
        .catch(() => {})
        .then(async () => {
          const { draft } = await opened
          await draft.describe(new Map([[skill.id, description]]))
          return opened
        })
      last = next
      return next
    },
  }
}

export interface EditorOptions {
  context: PageContext
  workbench: Workbench
  /** The skill and its messages, as they are now. */
  current(): CheckedSkill
  /** All skills, for what a description takes from others. */
  all(): readonly CheckedSkill[]
  onTried(fates: readonly MessageFate[], library: SkillLibrary): void
  signal: AbortSignal
}

/** A description that can be changed, with what that changes. */
export function descriptionEditor(options: EditorOptions): HTMLElement {
  const { workbench, current, signal } = options
  const { skill } = current()
  const labels = texts.firing
  const id = `description-${skill.id}`
  const box = make('textarea', { id, rows: '6', dir: 'auto' })
  box.value = skill.description
  const status = make('p', { role: 'status' })
  const text = make('pre', { hidden: '' })
  const copy = copyButton(labels.copySkill(skill.name), () => text.textContent ?? '', text)
  copy.hidden = true
  let trying = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const run = async (either: AbortSignal): Promise<void> => {
    status.textContent = labels.trying
    const { draft } = await workbench.try(skill, box.value.trim())
    if (either.aborted) return
    const library = yielding(draft.library)
    const { fates: before, messages } = current()
    const fates = await fatesOf(library, skill.id, messages, either)
    const [after, was] = [countFates(fates, 'fires'), countFates(before, 'fires')]
    const changed = labels.changed(was, after, fates.length)
    status.textContent = changed
    text.textContent = draft.text(skill.id)
    copy.hidden = false
    options.onTried(fates, library)
    const { gained, lost } = await othersChanged(options, library, either)
    status.textContent = `${changed} ${labels.others(gained, lost)}`
  }
  box.addEventListener('input', () => {
    clearTimeout(timer)
    trying.abort()
    trying = new AbortController()
    const either = anySignal(signal, trying.signal)
    timer = setTimeout(() => {
      run(either).catch((error: unknown) => {
        if (!either.aborted) setText(status, String(error))
      })
    }, PAUSE)
  })
  return make(
    'div',
    { class: 'description-editor' },
    make('label', { for: id }, labels.description),
    box,
    status,
    copy,
    text,
  )
}

/** How many messages of other skills fire now and did not before, and the other way round. */
async function othersChanged(
  { current, all }: EditorOptions,
  library: SkillLibrary,
  signal: AbortSignal,
): Promise<{ gained: number; lost: number }> {
  const changed = { gained: 0, lost: 0 }
  const own = current().skill.id
  for (const { skill, messages, fates } of all()) {
    if (skill.id === own) continue
    const fired = new Set(fates.filter(({ fate }) => fate === 'fires').map(one => one.message))
    for (const { message, fate } of await fatesOf(library, skill.id, messages, signal)) {
      if (fate === 'fires' && !fired.has(message)) changed.gained++
      if (fate !== 'fires' && fired.has(message)) changed.lost++
    }
  }
  return changed
}
