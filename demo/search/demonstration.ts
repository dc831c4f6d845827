import type { SkillLibrary } from 'skillshelf'
import { byId, make, makeButton } from '../dom.js'
import { language, texts } from '../texts.js'
import type { Answer } from './answer.js'
import { answerTo } from './answer.js'
import { MESSAGES } from './demonstration-messages.js'
import { untilReleased } from './press.js'

/** Milliseconds for each letter, and for reading an answer. */
const LETTER = 45
const READING = 4_500

/** A message that types itself while the search box is empty, and its answer. */
export interface Demonstration {
  /** Does nothing while it runs. */
  start(): void
  /** Answers the message that is shown again, because the library was replaced. */
  update(): Promise<void>
  /** The user has written a message. */
  stop(): void
  /** The message that is shown. */
  message(): string
}

/**
 * @param library The library to ask; `undefined` if the messages do not fit it.
 * @param onAnswer Called with each answer, and with `undefined` when another message begins.
 */
export function createDemonstration(
  library: () => SkillLibrary | undefined,
  onAnswer: (answer: Answer | undefined) => void,
): Demonstration {
  const element = byId('demonstration', HTMLElement)
  const box = byId('message', HTMLInputElement)
  const skeleton = byId('skeleton', HTMLElement)
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  let running: AbortController | undefined
  let paused = false
  let shown: string = MESSAGES[language][0]

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, ms)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  /** Waits while the user has stopped the demonstration, or another view hides it. */
  const untilSeen = async (signal: AbortSignal): Promise<void> => {
    while (paused || document.hidden || document.body.classList.contains('has-details')) {
      if (!paused) box.placeholder = texts.placeholder
      await pause(LETTER * 8, signal)
    }
  }
  const show = (answer: Answer, message: string): void => {
    const toggle = makeButton(paused ? texts.demonstration.go : texts.demonstration.pause, () => {
      paused = !paused
      toggle.textContent = paused ? texts.demonstration.go : texts.demonstration.pause
    })
    toggle.className = 'link'
    element.replaceChildren(
      make('p', { class: 'verdict' }, ...answer.verdict),
      make('ol', { class: 'results', 'aria-label': message }, ...answer.items),
      answer.costs,
      make('p', { class: 'facts' }, ...answer.facts),
      ...(still.matches
        ? []
        : [
            make(
              'p',
              { class: 'demonstration-control muted' },
              texts.demonstration.label,
              ' ',
              toggle,
            ),
          ]),
    )
    element.dataset['answer'] = answer.status
    element.hidden = false
    shown = message
    onAnswer(answer)
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const messages = MESSAGES[language]
      const message = messages[turn % messages.length] as string
      const asked = library()
      if (!asked) return
      const answer = await answerTo(asked, message, signal)
      // Another library than the samples.
      if (turn === 0) skeleton.hidden = true
      if (turn === 0 && answer.status === 'none') return
      if (turn > 0) onAnswer(undefined)
      for (
        let end = turn === 0 || still.matches ? message.length : 1;
        end <= message.length;
        end++
      ) {
        await untilSeen(signal)
        box.placeholder = message.slice(0, end)
        if (end < message.length) await pause(LETTER, signal)
      }
      await untilReleased(element)
      signal.throwIfAborted()
      show(answer, message)
      if (still.matches) return
      await pause(READING, signal)
      await untilSeen(signal)
    }
  }
  return {
    message: () => shown,
    start() {
      if (running) return
      running = new AbortController()
      // Ends when the user writes, or when the library is closed.
      run(running.signal).catch(() => {})
    },
    async update() {
      const asked = library()
      if (!asked || !running || element.hidden) return
      const message = shown
      const answer = await answerTo(asked, message, running.signal).catch(() => undefined)
      await untilReleased(element)
      if (answer && shown === message && running && !element.hidden) show(answer, message)
    },
    stop() {
      running?.abort()
      running = undefined
      paused = false
      element.hidden = true
      element.replaceChildren()
      box.placeholder = texts.placeholder
      onAnswer(undefined)
    },
  }
}
