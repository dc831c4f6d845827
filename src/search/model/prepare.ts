import { TIMED_OUT, withTimeout } from '../../core/abort.js'
import type { SkillModel } from './skill-model.js'

/**
 * Loads what a model needs for a text.
 * @param timeout Milliseconds. After that, loading goes on.
 * @returns `false` if it is not loaded in time, or cannot be loaded. The next call tries again.
 */
export async function prepareInTime(
  model: SkillModel,
  text: string,
  timeout = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const prepare = async (): Promise<void> => model.prepare?.(text)
  try {
    // A timer is forbidden at module scope of a Worker.
    if (timeout < Number.POSITIVE_INFINITY) {
      return (await withTimeout(timeout, prepare)) !== TIMED_OUT
    }
    await prepare()
    return true
  } catch {
    return false
  }
}
