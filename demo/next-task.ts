/** Waits for another task, so that the page stays responsive on a slow processor. */
export const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve))

/** Waits until the browser has nothing else to do. */
export const whenIdle = (): Promise<unknown> =>
  new Promise(resolve =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve),
  )
