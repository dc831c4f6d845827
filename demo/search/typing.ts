/** Milliseconds of rest after which an unfinished word is answered. */
const REST = 250
/** A word ends: after a space or a mark, and in scripts that have no spaces with each sentence mark. */
const WORD_ENDS = /[\s\p{P}]$/u

/** Decides when a message that is being typed is answered: a half word gives answers that nobody asked for. */
export interface Typing {
  /** For `input` events of the search box. */
  listen(event: Event): void
  /** The message is being answered, or is gone. */
  end(): void
}

interface TypingOptions {
  /** Whether an answer is shown, which waits. */
  isAnswered(): boolean
  onWait(waits: boolean): void
  onMessage(): void
}

export function createTyping({ isAnswered, onWait, onMessage }: TypingOptions): Typing {
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0
  const end = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    timer = undefined
    onWait(false)
  }
  return {
    end,
    listen(event) {
      const { target } = event
      const message = target instanceof HTMLInputElement ? target.value : ''
      end()
      if (message.trim() === '') return onMessage()
      onWait(isAnswered())
      if (isUnfinished(event, message)) {
        timer = setTimeout(onMessage, REST)
        return
      }
      // The letter is seen before the answer is looked for.
      frame = requestAnimationFrame(() => {
        timer = setTimeout(onMessage)
      })
    },
  }
}

/** Whether the user is in the middle of a word. What is pasted or dropped is whole. */
function isUnfinished(event: Event, message: string): boolean {
  if (!(event instanceof InputEvent)) return false
  if (event.isComposing) return true
  if (event.inputType.startsWith('delete')) return true
  const isTyped = event.inputType === 'insertText' && (event.data?.length ?? 0) <= 1
  return isTyped && !WORD_ENDS.test(message)
}
