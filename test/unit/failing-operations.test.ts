import { describe, it } from 'vitest'
import { EVERYTHING } from '../samples.js'
import { failEachOperation, PATHS } from '../trace/failing.js'
import { WORLDS } from '../trace/worlds.js'

/** They read as 'pieces in R2' and 'copy of pieces' do. */
const ALIKE = ['pieces', 'whole copy of pieces']
const CASES = Object.keys(WORLDS)
  .filter(world => EVERYTHING || !ALIKE.includes(world))
  .flatMap(world => Object.entries(PATHS).map(([name, path]) => ({ world, name, path })))

describe('every operation fails once', () => {
  it.each(CASES)(
    '[BY-41] $world: $name is whole or not made, and works the next time',
    ({ world, path }) => failEachOperation(world, path, { everyWay: EVERYTHING }),
  )
})
