declare module 'virtual:compressed-samples' {
  /** URLs of the compressed indexes by file name. See compressed-plugin.ts. */
  const urls: Readonly<Record<string, string>>
  export default urls
}
