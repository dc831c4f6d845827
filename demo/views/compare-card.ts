import { texts } from '../texts.js'
import { BARS, isBest, type Row, valueText } from './compare-board.js'
import { COLORS, createPicture, HEIGHT, MARGIN, WIDTH } from './picture.js'

const BAR_COLORS = { first: '#9be0cb', other: '#d9993f', rest: '#2f5248' }
/** Left edges of the columns: the rank, and the bars. */
const COLUMNS = [380, 520, 735, 950]
const BAR = 180
/** Pixels of a row: six fit. */
const ROW = 54

/** Draws the comparison as a picture of the size that other sites show. */
export async function drawCard(
  message: string,
  answer: string,
  rows: readonly Row[],
): Promise<Blob> {
  const { write, fill, toPng } = createPicture()
  const labels = texts.compare
  fill(BAR_COLORS.other, 0, HEIGHT - 16, WIDTH, 16)
  const line = { x: MARGIN, width: WIDTH - 2 * MARGIN }
  write(`“${message}”`, { ...line, y: 112, size: 48, color: COLORS.text })
  write(labels.cardAnswer(answer), { ...line, y: 164, size: 28, color: BAR_COLORS.first })
  for (const [index, name] of [labels.rank, ...BARS.map(bar => labels.bars[bar])].entries()) {
    const x = COLUMNS[index] as number
    write(name, { x, y: 232, size: 20, color: COLORS.muted, width: BAR })
  }
  for (const [index, row] of rows.entries()) {
    const y = 276 + index * ROW
    const color = isBest(row) ? BAR_COLORS.first : COLORS.text
    write(row.name, { x: MARGIN, y, size: 25, color, width: 300 })
    write(labels.rankOf(row.rank), { x: COLUMNS[0] as number, y, size: 25, color, width: 120 })
    for (const [at, bar] of BARS.entries()) {
      const x = COLUMNS[at + 1] as number
      const most = Math.max(...rows.map(one => one[bar]), Number.MIN_VALUE)
      write(valueText(bar, row[bar]), { x, y: y - 6, size: 20, color, width: BAR })
      fill(BAR_COLORS.rest, x, y + 2, BAR, 8)
      fill(isBest(row) ? BAR_COLORS.first : BAR_COLORS.other, x, y + 2, (BAR * row[bar]) / most, 8)
    }
  }
  write('skillshelf', { x: MARGIN, y: HEIGHT - 44, size: 26, color: COLORS.text })
  return toPng()
}
