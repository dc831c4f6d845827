import { bundled } from '../../../src/search/model/bundled/package.js'
import { report } from './report.js'
import { type LargeLibrary, timeMatching } from './time-matching.js'

report(async () => {
  const [library, model] = await Promise.all([
    fetch('/large/about.json').then((response): Promise<LargeLibrary> => response.json()),
    bundled(),
  ])
  const read = async (index: number) =>
    new Uint8Array(await (await fetch(`/large/${index}.seg`)).arrayBuffer())
  return timeMatching(library, read, model)
})
