import { showHidden } from '../../core/sanitize.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Skill, SkillSummary } from '../../skill/skill.js'
import { toError } from '../state/loaded.js'
import { icon, make, makeButton } from './dom.js'
import type { RenderSkill, SkillSearchTexts } from './events.js'

export interface SkillViewActions {
  back(): void
  copied(skill: Skill, text: string): void
  failed(error: Error): void
}

/** The opened skill, as text or as what `render` returns: a child of `host`, so that styles of the page apply to it. */
export function createSkillView(host: HTMLElement, actions: SkillViewActions) {
  let texts: SkillSearchTexts | undefined
  let abort: AbortController | undefined
  let opened: Skill | undefined
  let rendered: Node | undefined

  const backText = make('span')
  const copyText = make('span')
  const copy = makeButton('copy', () => void copyInstructions(), copyText)
  const title = make('h2', { part: 'title', id: 'title', tabindex: '-1', dir: 'auto' })
  const about = make('p', { part: 'about', dir: 'auto' })
  const status = make('p', { part: 'skill-status', role: 'status' })
  const instructions = make('pre', { part: 'instructions', dir: 'auto', tabindex: '0' })
  const slot = make('slot', { name: 'instructions' }, instructions)
  const summary = make('summary')
  const paths = make('ul')
  const files = make('details', { part: 'files' }, summary, paths)
  const element = make(
    'section',
    { part: 'skill', 'aria-labelledby': 'title', hidden: '' },
    make('div', { class: 'bar' }, makeButton('back', actions.back, icon('back'), backText), copy),
    make('div', { class: 'body' }, title, about, status, slot, files),
  )

  const clear = (): void => {
    abort?.abort()
    opened = undefined
    if (rendered) rendered.parentNode?.removeChild(rendered)
    rendered = undefined
    instructions.textContent = ''
    for (const part of [instructions, files, copy]) part.hidden = true
  }
  const copyInstructions = async (): Promise<void> => {
    const skill = opened
    if (!skill || !texts) return
    try {
      await navigator.clipboard.writeText(skill.instructions)
    } catch {
      // Pages that are not a secure context have no clipboard.
      getSelection()?.selectAllChildren(instructions)
      status.textContent = texts.notCopied
      return
    }
    if (opened === skill) copyText.textContent = texts.copied
    actions.copied(skill, skill.instructions)
  }
  const showFiles = (skill: Skill): void => {
    files.hidden = skill.files.length === 0
    summary.textContent = texts?.files(skill.files.length) ?? ''
    paths.replaceChildren(...skill.files.map(({ path }) => make('li', {}, make('bdi', {}, path))))
  }
  const load = async (
    id: string,
    library: SkillLibrary,
    render: RenderSkill | undefined,
  ): Promise<void> => {
    abort = new AbortController()
    const { signal } = abort
    try {
      const skill = await library.get(id, { signal })
      const node = await render?.(skill, { signal })
      if (signal.aborted) return
      opened = skill
      status.textContent = ''
      instructions.textContent = showHidden(skill.instructions)
      instructions.hidden = false
      copy.hidden = false
      showFiles(skill)
      if (!node) return
      const slotted = node instanceof Element ? node : make('div', {}, node)
      slotted.slot = 'instructions'
      host.append(slotted)
      rendered = slotted
    } catch (error) {
      if (signal.aborted) return
      const failure = toError(error)
      status.textContent = failure.message
      actions.failed(failure)
    }
  }

  return {
    element,
    get isOpen(): boolean {
      return !element.hidden
    },
    open(skill: SkillSummary, library: SkillLibrary, render: RenderSkill | undefined): void {
      clear()
      title.textContent = showHidden(skill.displayName ?? skill.name)
      about.textContent = showHidden(skill.description)
      status.textContent = texts?.loading ?? ''
      if (texts) copyText.textContent = texts.copy
      element.hidden = false
      element.scrollTop = 0
      title.focus()
      void load(skill.id, library, render)
    },
    close(): void {
      clear()
      element.hidden = true
    },
    showTexts(next: SkillSearchTexts): void {
      if (texts === next) return
      texts = next
      backText.textContent = next.back
      copyText.textContent = next.copy
      if (opened) showFiles(opened)
    },
  }
}
