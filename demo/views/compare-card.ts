import { showHidden } from 'skillshelf'
import { texts } from '../texts.js'
import { BARS, isBest, type Row, valueText } from './compare-board.js'

const WIDTH = 1200
const HEIGHT = 630
const MARGIN = 64
const COLORS = {
  ground: '#0f2b25',
  text: '#f1f4ec',
  muted: '#abc0b6',
  first: '#9be0cb',
  other: '#d9993f',
  rest: '#2f5248',
}
/** Left edges of the columns: the rank, and the bars. */
const COLUMNS = [380, 520, 735, 950]
const BAR = 180

/** Draws the comparison as a picture of the size that other sites show. */
export async function drawCard(
  message: string,
  answer: string,
  rows: readonly Row[],
): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  const family = getComputedStyle(document.documentElement).getPropertyValue('--heading-font')
  const write = (
    text: string,
    x: number,
    y: number,
    size: number,
    color = COLORS.text,
    width?: number,
  ): void => {
    context.font = `700 ${size}px ${family}`
    context.fillStyle = color
    context.fillText(showHidden(text), x, y, width)
  }
  const fill = (color: string, x: number, y: number, width: number, height: number): void => {
    context.fillStyle = color
    context.fillRect(x, y, width, height)
  }
  const labels = texts.compare
  fill(COLORS.ground, 0, 0, WIDTH, HEIGHT)
  fill(COLORS.other, 0, HEIGHT - 16, WIDTH, 16)
  write(`“${message}”`, MARGIN, 112, 48, COLORS.text, WIDTH - 2 * MARGIN)
  write(labels.cardAnswer(answer), MARGIN, 164, 28, COLORS.first, WIDTH - 2 * MARGIN)
  for (const [index, name] of [labels.rank, ...BARS.map(bar => labels.bars[bar])].entries()) {
    write(name, COLUMNS[index] as number, 232, 20, COLORS.muted, BAR)
  }
  for (const [index, row] of rows.entries()) {
    const y = 282 + index * 62
    const color = isBest(row) ? COLORS.first : COLORS.text
    write(row.name, MARGIN, y, 25, color, 300)
    write(labels.rankOf(row.rank), COLUMNS[0] as number, y, 25, color, 120)
    for (const [at, bar] of BARS.entries()) {
      const x = COLUMNS[at + 1] as number
      const most = Math.max(...rows.map(one => one[bar]), Number.MIN_VALUE)
      write(valueText(bar, row[bar]), x, y - 6, 20, color, BAR)
      fill(COLORS.rest, x, y + 2, BAR, 8)
      fill(isBest(row) ? COLORS.first : COLORS.other, x, y + 2, (BAR * row[bar]) / most, 8)
    }
  }
  write('skillshelf', MARGIN, HEIGHT - 44, 26)
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      blob => (blob ? resolve(blob) : reject(new Error('This browser cannot write a PNG'))),
      'image/png',
    ),
  )
}
