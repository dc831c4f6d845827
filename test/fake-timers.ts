import { onTestFinished, vi } from 'vitest'

/** Replaces timers or the clock until the end of the test. */
export function fakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers(options)
}
