import { errorMessage, SkillshelfError } from './errors.js'

/**
 * Awaits a dynamic import.
 * @throws SkillshelfError `module-failed`
 */
export async function loadModule<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading
  } catch (error) {
    throw new SkillshelfError(
      'module-failed',
      `A module of skillshelf could not be loaded: ${errorMessage(error)}`,
      {
        hint: 'reload the page: a new version may have replaced the module; for offline use, call preload() while online',
      },
      error,
    )
  }
}

const PAGE = 65_536

/**
 * Creates a memory of at least `bytes`, and the functions of a module over it; `undefined` where WebAssembly or SIMD is missing, or a policy
 * forbids it. Callers then use a plain loop.
 * @param compile From `#kernel/*`.
 */
export function openWasm<Functions>(
  compile: () => WebAssembly.Module,
  bytes: number,
): { memory: ArrayBuffer; functions: Functions } | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) })
    const { exports } = new WebAssembly.Instance(compile(), { env: { memory } })
    return { memory: memory.buffer, functions: exports as unknown as Functions }
  } catch {
    return undefined
  }
}
