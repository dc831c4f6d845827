/** The URL of a file in the built page. */
declare module '*?url' {
  const url: string
  export default url
}
