/** What `work` gives, or `undefined` when it takes longer than so many milliseconds. The work itself may go on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
