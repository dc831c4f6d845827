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
  /** The rows of the first message of the page in each language, one after the other. Empty in development. */
  export const firstRows: Readonly<
    Record<string, { url: string; sizes: readonly (readonly [path: string, bytes: number])[] }>
  >
  export default urls
}
