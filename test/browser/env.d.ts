/// <reference types="vite/client" />

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the files of a real transformer are served, or ''. */
    models: string
  }
}

export {}
