import type { SkillId, SkillSummary } from 'skillshelf'
import { make } from '../dom.js'
import { texts } from '../texts.js'
import { inlinedTokens } from '../views/context-usage.js'
import { COLORS, SPINES } from './shelf.js'

/**
 * The context of a model with every skill inlined. The opened ones slide to its start, and the others leave it.
 * @param opened Tokens of the skills that stay.
 */
export function contextBar(
  skills: readonly SkillSummary[],
  opened: ReadonlyMap<SkillId, number>,
): HTMLElement {
  const all = Math.max(inlinedTokens(skills), 1)
  let from = 0
  let to = 0
  const parts = skills.map(({ id, tokens: { metadata, instructions } }, index) => {
    const kept = opened.get(id)
    const share = (kept ?? metadata + instructions) / all
    const part = make('i', {
      class: `color-${index % COLORS}${kept === undefined ? '' : ' opened'}`,
    })
    for (const [name, value] of Object.entries({ from, to, share })) {
      part.style.setProperty(`--${name}`, String(value))
    }
    from += (metadata + instructions) / all
    if (kept !== undefined) to += share
    return part
  })
  // Of a large library, some stand for all.
  const drawn = parts.filter((part, index) => index < SPINES || part.classList.contains('opened'))
  return make(
    'div',
    { 'aria-hidden': 'true' },
    make('div', { class: 'context-bar' }, ...drawn),
    make('p', { class: 'facts' }, texts.figures.context),
  )
}
