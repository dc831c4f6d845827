/** The part of gifenc that gif.ts uses. The package has no types. */
declare module 'gifenc' {
  type Palette = readonly (readonly number[])[]
  interface FrameOptions {
    palette: Palette
    delay: number
    transparent: boolean
    transparentIndex: number
    dispose: number
  }
  const gifenc: {
    GIFEncoder(): {
      writeFrame(indexes: Uint8Array, width: number, height: number, options: FrameOptions): void
      finish(): void
      bytes(): Uint8Array
    }
    quantize(pixels: Uint8Array, colors: number): Palette
    applyPalette(pixels: Uint8Array, palette: Palette): Uint8Array
  }
  export default gifenc
}
