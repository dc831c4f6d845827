/** Does one piece of work after the other, in the order they come; one that fails holds up none. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}
