import type { Part } from '../format.js'

/** Digests of the files of the bundled model. Written by `npm run train`. */
export const DIGESTS: Readonly<Record<Part, string>> = {
  latin: 'sha256:8f6a0e9868b7e78d6c04dd0c7f096a6724b2b7eac9141beb1908cef4e998cfd6',
  han: 'sha256:1fa2d5e560983f8ba3320303713864ac9804e10f3e9973598d22e83ec979c881',
}
