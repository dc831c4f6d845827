import { describe, it } from 'vitest'
import { EVERYTHING } from '../samples.js'
import { failOperations, PATHS } from '../trace/failing.js'
import { WORLDS } from '../trace/worlds.js'

/** They read as 'pieces in R2' and 'copy of pieces' do. */
const ALIKE = ['pieces', 'whole copy of pieces']
const CASES = Object.keys(WORLDS)
  .filter(world => EVERYTHING || !ALIKE.includes(world))
  .flatMap(world => Object.keys(PATHS).map(name => ({ world, name })))

describe('operations fail', () => {
  it.each(CASES)(
    '[BY-41] $world: $name is whole or not made, and works the next time',
    ({ world, name }) => failOperations(world, name, { everyWay: EVERYTHING }),
  )
})
