/** Waits for another task, so that the page stays responsive on a slow processor. */
export const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve))
