/** What Vite makes of a file: its address in the built page. */
declare module '*?url' {
  const address: string
  export default address
}
