import { nextTask } from '../next-task.js'

/** A press ends with the release, or where scrolling, a drag or a menu takes the release. */
const ENDS = ['pointerup', 'pointercancel', 'contextmenu']

/** Waits while a link or button in an element is pressed: if it were replaced meanwhile, the click would be lost. */
export async function untilReleased(element: Element): Promise<void> {
  if (!element.querySelector(':is(a, button):active')) return
  await new Promise<unknown>(resolve => {
    for (const end of ENDS) addEventListener(end, resolve, { once: true, capture: true })
  })
  // The click follows the release.
  await nextTask()
}
