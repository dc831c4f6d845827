import type { Book } from './listing-shelf.js'
import { COLORS, createPicture, HEIGHT, MARGIN, WIDTH } from './picture.js'

const BOARD = 16
/** The highest book. */
const BOOK = 300
const GAP = 2
const BOARD_COLOR = '#d9993f'
const BINDINGS = ['#2f8f79', '#d9993f', '#5b8cc4', '#e5dfcd', '#c05a4c']

/** Draws a shelf with a sentence over it, in the size that other sites show. */
export async function drawPicture(
  title: string,
  meaning: string,
  books: readonly Book[],
): Promise<Blob> {
  await document.fonts.ready
  const { context, write, fill, toPng } = createPicture()
  const line = { x: MARGIN, width: WIDTH - 2 * MARGIN }
  write(title, { ...line, y: 120, size: 64, color: COLORS.text })
  write(meaning, { ...line, y: 172, size: 28, color: COLORS.muted })
  write('skillshelf', { ...line, y: 222, size: 28, color: BINDINGS[0] as string })
  const floor = HEIGHT - BOARD
  const width = (WIDTH - 2 * MARGIN) / Math.max(books.length, 1)
  for (const [index, { height, shown }] of books.entries()) {
    const x = MARGIN + index * width
    const whole = Math.max(BOOK * height, 4)
    const color = BINDINGS[index % BINDINGS.length] as string
    context.globalAlpha = 0.25
    fill(color, x, floor - whole, width - GAP, whole)
    context.globalAlpha = 1
    fill(color, x, floor - whole * shown, width - GAP, whole * shown)
  }
  fill(BOARD_COLOR, 0, floor, WIDTH, BOARD)
  return toPng()
}
