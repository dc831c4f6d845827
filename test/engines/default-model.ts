/**
 * Stands in for src/library/model/default-model.ts in pages and their workers: libraries open without the bundled model, so that results do
 * not depend on when it is loaded. A test may set another model.
 */
let model: unknown

export const defaultModel = Object.assign((): unknown => model, {
  mockReturnValue(value: unknown): void {
    model = value
  },
})
