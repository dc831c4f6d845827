import { showHidden } from 'skillshelf'

/** The size that other sites show. */
export const WIDTH = 1200
export const HEIGHT = 630
export const MARGIN = 64
/** Colors of every picture. */
export const COLORS = { ground: '#0f2b25', text: '#f1f4ec', muted: '#abc0b6' }

/** A picture that is drawn. */
export interface Picture {
  context: CanvasRenderingContext2D
  /** Writes a line in the font of headings. A longer one than `width` is narrowed. */
  write(text: string, line: Line): void
  fill(color: string, x: number, y: number, width: number, height: number): void
  toPng(): Promise<Blob>
}

interface Line {
  x: number
  y: number
  size: number
  color: string
  width?: number
}

/** An empty picture. @throws Error if the browser cannot draw */
export function createPicture(): Picture {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  const family = getComputedStyle(document.documentElement).getPropertyValue('--heading-font')
  const fill: Picture['fill'] = (color, ...area) => {
    context.fillStyle = color
    context.fillRect(...area)
  }
  fill(COLORS.ground, 0, 0, WIDTH, HEIGHT)
  return {
    context,
    write(text, { x, y, size, color, width }) {
      context.font = `700 ${size}px ${family}`
      context.fillStyle = color
      context.fillText(showHidden(text), x, y, width)
    },
    fill,
    toPng: () =>
      new Promise((resolve, reject) =>
        canvas.toBlob(
          blob => (blob ? resolve(blob) : reject(new Error('This browser cannot write a PNG'))),
          'image/png',
        ),
      ),
  }
}
