import { showHidden } from 'skillshelf'
import type { Book } from './listing-shelf.js'

const WIDTH = 1200
const HEIGHT = 630
const MARGIN = 64
const BOARD = 16
/** The highest book. */
const BOOK = 300
const GAP = 2
const COLORS = { ground: '#0f2b25', text: '#f1f4ec', muted: '#abc0b6', board: '#d9993f' }
const BINDINGS = ['#2f8f79', '#d9993f', '#5b8cc4', '#e5dfcd', '#c05a4c']

/** Draws a shelf with a sentence over it, in the size that other sites show. */
export async function drawPicture(
  title: string,
  meaning: string,
  books: readonly Book[],
): Promise<Blob> {
  await document.fonts.ready
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  const family = getComputedStyle(document.documentElement).getPropertyValue('--heading-font')
  const write = (text: string, y: number, size: number, color: string): void => {
    context.font = `700 ${size}px ${family}`
    context.fillStyle = color
    context.fillText(showHidden(text), MARGIN, y, WIDTH - 2 * MARGIN)
  }
  context.fillStyle = COLORS.ground
  context.fillRect(0, 0, WIDTH, HEIGHT)
  write(title, 120, 64, COLORS.text)
  write(meaning, 172, 28, COLORS.muted)
  write('skillshelf', 222, 28, BINDINGS[0] as string)
  const floor = HEIGHT - BOARD
  const width = (WIDTH - 2 * MARGIN) / Math.max(books.length, 1)
  for (const [index, { height, shown }] of books.entries()) {
    const x = MARGIN + index * width
    const whole = Math.max(BOOK * height, 4)
    context.fillStyle = BINDINGS[index % BINDINGS.length] as string
    context.globalAlpha = 0.25
    context.fillRect(x, floor - whole, width - GAP, whole)
    context.globalAlpha = 1
    context.fillRect(x, floor - whole * shown, width - GAP, whole * shown)
  }
  context.fillStyle = COLORS.board
  context.fillRect(0, floor, WIDTH, BOARD)
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      blob => (blob ? resolve(blob) : reject(new Error('This browser cannot write a PNG'))),
      'image/png',
    ),
  )
}
