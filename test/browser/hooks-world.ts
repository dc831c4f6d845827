import { memory, type SkillSource } from '../../src/exports/index.js'
import { deferred } from '../deferred.js'

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nText.`

export interface CountedSource extends SkillSource {
  reads: number
  closed: number
  /** The signals of all reads. */
  signals: (AbortSignal | undefined)[]
  /** Holds reads back until the result is called. */
  hold(): () => void
}

/** A library in memory that counts how often it is read and closed. */
export function countedSource(name = 'garden'): CountedSource {
  const roses = skill('roses', 'Prunes roses in the garden')
  const source = memory(
    {
      'roses/SKILL.md': roses,
      'roses/care.md': 'Water them.',
      'tulips/SKILL.md': skill('tulips', 'Plants tulip bulbs'),
    },
    { name },
  )
  let held: Promise<void> | undefined
  const counted: CountedSource = {
    ...source,
    reads: 0,
    closed: 0,
    signals: [],
    async read(path, options) {
      counted.reads++
      counted.signals.push(options?.signal)
      await held
      return source.read(path, options)
    },
    async close() {
      counted.closed++
      await source.close?.()
    },
    hold() {
      const { promise, resolve } = deferred()
      held = promise
      return resolve
    },
  }
  return counted
}
