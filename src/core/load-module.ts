import { errorMessage, SkillshelfError } from './errors.js'

const declared: (() => Promise<unknown>)[] = []

/** Declares a module that is loaded on demand, so that `preload` finds it. It throws `module-failed` if it cannot be loaded. */
export function onDemand<Module>(load: () => Promise<Module>): () => Promise<Module> {
  // Not the promise: in a Worker it would be one of another request.
  let loaded: Module | undefined
  const loadModule = async (): Promise<Module> => {
    try {
      loaded ??= await load()
      return loaded
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
  declared.push(loadModule)
  return loadModule
}

/** Loads every declared module, and those that they declare. */
export async function loadDeclaredModules(): Promise<void> {
  let loaded = 0
  while (loaded < declared.length) {
    const loading = declared.slice(loaded)
    loaded = declared.length
    await Promise.all(loading.map(load => load()))
  }
}
