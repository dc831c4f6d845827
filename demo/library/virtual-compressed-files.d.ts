/** URLs of compressed copies by the names of the files. See compressed-plugin.ts. */
declare module 'virtual:compressed-samples' {
  const urls: Readonly<Record<string, string>>
  /** Address of the files of all samples in one, as compressed-plugin.ts writes it; `undefined` in development. */
  export const archive: string | undefined
  export default urls
}

declare module 'virtual:compressed-model' {
  const urls: Readonly<Record<string, string>>
  /** Address of the folder with the rows of the model; `undefined` in development. */
  export const rows: string | undefined
  /** Files of rows, one after the other. */
  interface Rows {
    url: string
    sizes: readonly (readonly [path: string, bytes: number])[]
  }
  /** The rows of the page's own messages in each language: of the first one, and of the others. Empty in development. */
  export const shownRows: Readonly<Record<string, readonly [first: Rows, more: Rows]>>
  export default urls
}
