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
