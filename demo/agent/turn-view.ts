import type { SkillFile } from 'skillshelf'
import type { Library } from '../context.js'
import { make, makeButton } from '../dom.js'
import { nameOf } from '../names.js'
import { renderMarkdown } from '../skill/markdown.js'
import { texts } from '../texts.js'
import { skillHash } from '../url.js'
import { copyButton } from '../views/copy-button.js'
import type { Turn } from './agent.js'

/** A message of the user, and its answer once it is there. */
export interface TurnView {
  element: HTMLElement
  /** Shows the beginning of an answer that is still arriving. */
  showText(text: string): void
  showAnswer(turn: Turn): Promise<void>
  showProblem(text: string): void
}

export interface TurnActions {
  /** Takes the message back into the box. */
  edit(): void
  /** Sends the message again. */
  again(): void
}

/** @param actions Absent if the model keeps the conversation itself. */
export function createTurnView(message: string, library: Library, actions?: TurnActions): TurnView {
  const reply = make(
    'div',
    { class: 'reply', 'aria-busy': 'true' },
    make('p', { class: 'muted' }, texts.agent.waiting),
  )
  return {
    element: make(
      'li',
      { class: 'turn' },
      make('p', { class: 'asked', dir: 'auto' }, message),
      actions &&
        make(
          'p',
          { class: 'turn-actions' },
          makeButton(texts.agent.edit, actions.edit, { class: 'link' }),
          makeButton(texts.agent.again, actions.again, { class: 'link' }),
        ),
      reply,
    ),
    showText(text) {
      reply.replaceChildren(make('p', { class: 'arriving' }, text))
    },
    async showAnswer(turn) {
      const answer = await renderMarkdown(turn.answer, { hasFile: () => false, openFile: () => {} })
      const scripts = await readScripts(turn, library)
      reply.removeAttribute('aria-busy')
      reply.replaceChildren(
        ...opened(turn, library),
        make('div', { class: 'prose' }, answer),
        ...scripts.map(scriptView),
      )
    },
    showProblem(text) {
      reply.removeAttribute('aria-busy')
      reply.replaceChildren(make('p', { class: 'problem' }, text))
    },
  }
}

/** Links to the skills that were opened for a message. */
function opened({ activities }: Turn, { snapshot }: Library): HTMLElement[] {
  const labels = texts.agent
  const ids = new Set(
    activities.flatMap(({ type, skill, error }) =>
      type === 'load' && skill && !error ? [skill] : [],
    ),
  )
  const skills = snapshot.skills.filter(({ id }) => ids.has(id))
  if (skills.length === 0) return [make('p', { class: 'muted' }, labels.noneOpened)]
  const links = skills.map(skill => make('a', { href: skillHash(skill.id) }, nameOf(skill)))
  return [make('p', { class: 'muted' }, labels.opened, ...links.flatMap(link => [' ', link]))]
}

/** The scripts that the model read. */
async function readScripts({ activities }: Turn, library: Library): Promise<SkillFile[]> {
  const files = activities.flatMap(({ type, skill, path, error }) =>
    type === 'read' && skill !== undefined && path !== undefined && !error ? [{ skill, path }] : [],
  )
  const read = await Promise.all(
    files.map(({ skill, path }) => library.read(skill, path).catch(() => undefined)),
  )
  return read.filter(file => file !== undefined).filter(({ kind }) => kind === 'script')
}

function scriptView({ path, text = '' }: SkillFile): HTMLElement {
  const code = make('pre', { tabindex: '0', role: 'group', 'aria-label': path }, text)
  return make(
    'details',
    { class: 'script' },
    make('summary', {}, path),
    make('p', { class: 'muted' }, texts.agent.neverRun),
    copyButton(path, () => text, code),
    code,
  )
}
