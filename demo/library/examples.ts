import type { SkillLibrary, SkillSummary } from 'skillshelf'
import { beginningOf } from '../../src/tools/testing/own-messages.js'
import { phrasesOf } from '../../src/tools/testing/phrases.js'
import { byId, make, makeButton } from '../dom.js'

/** Examples that are shown, and skills that are tried for them. */
const EXAMPLES = 3
const TRIED = 24

/**
 * Shows messages of the library's own descriptions as examples, each of which finds its skill.
 * @param isOpen Whether the library is still the open one
 */
export async function showExamples(
  library: SkillLibrary,
  { isOpen, setMessage }: { isOpen(): boolean; setMessage(message: string): void },
): Promise<void> {
  const messages: string[] = []
  for (const skill of spread(library.snapshot.skills)) {
    const message = phrasesOf(skill)[0] ?? beginningOf(skill)
    const { matches } = await library.search(message, { limit: 1, wait: false })
    if (matches[0]?.id === skill.id) messages.push(message)
    if (messages.length === EXAMPLES) break
  }
  if (!isOpen()) return
  const list = byId('examples', HTMLElement)
  list.hidden = messages.length === 0
  list.replaceChildren(
    ...messages.map(message =>
      make(
        'li',
        {},
        makeButton(message, () => setMessage(message), { class: 'chip', dir: 'auto' }),
      ),
    ),
  )
}

/** Skills from all of the library: its first, middle and last, then those between. */
function spread(skills: readonly SkillSummary[]): SkillSummary[] {
  const amount = Math.min(skills.length, TRIED)
  const even = Array.from(
    { length: amount },
    (_, index) => skills[Math.floor((index * skills.length) / amount)] as SkillSummary,
  )
  const step = Math.max(1, Math.floor(amount / EXAMPLES))
  return Array.from({ length: step }, (_, from) =>
    even.filter((_skill, index) => index % step === from),
  ).flat()
}
