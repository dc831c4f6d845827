/** Pixels above the element at the top. */
const MARGIN = 8

/**
 * Scrolls to `top` if the end of an answer is below the part of the window that the user sees: a low window, a zoomed one, or one whose
 * half is covered by a keyboard. Only while the user types, who looks there.
 */
export function keepInSight(top: HTMLElement, answer: Element | null): void {
  if (!answer || !top.contains(document.activeElement)) return
  const { height = innerHeight, offsetTop = 0 } = visualViewport ?? {}
  const above = top.getBoundingClientRect().top - offsetTop
  if (answer.getBoundingClientRect().bottom > offsetTop + height && above > MARGIN) {
    scrollBy({ top: above - MARGIN, behavior: 'instant' })
  }
}
