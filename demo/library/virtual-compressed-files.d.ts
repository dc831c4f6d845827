/** URLs of compressed copies by the names of the files. See compressed-plugin.ts. */
declare module 'virtual:compressed-samples' {
  const urls: Readonly<Record<string, string>>
  export default urls
}

declare module 'virtual:compressed-model' {
  const urls: Readonly<Record<string, string>>
  export default urls
}
