/** A fault that must turn the tests of a behaviour red. `find` stands once in `file`. */
export interface Mutant {
  /** The behaviour whose tests must notice. */
  id: string
  file: string
  find: string
  replace: string
}

export const mutants: readonly Mutant[] = []
