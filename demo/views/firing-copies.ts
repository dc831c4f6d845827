import { make } from '../dom.js'
import { language, texts } from '../texts.js'
import { publicHref } from '../url.js'
import { copyButton } from './copy-button.js'
import { type CheckedSkill, countFates, countSkills } from './firing.js'

/** Share of skills that fire, from which a badge is yellow. */
const MOST = 0.8

/** A badge and a table in Markdown, for a README. @param isPublic Whether a link opens the library. */
export function firingCopies(checked: readonly CheckedSkill[], isPublic: boolean): HTMLElement[] {
  const labels = texts.firing
  const copies = { [labels.badge]: badge(checked, isPublic), [labels.table]: table(checked) }
  return Object.entries(copies).map(([label, text]) => {
    const shown = make('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text)
    return make(
      'details',
      {},
      make('summary', {}, label),
      copyButton(label, () => text, shown),
      shown,
    )
  })
}

function badge(checked: readonly CheckedSkill[], isPublic: boolean): string {
  const { fires } = countSkills(checked)
  const [label, total] = [texts.firing.badgeLabel, checked.length]
  const color = fires === total ? 'brightgreen' : fires >= total * MOST ? 'yellow' : 'orange'
  const path = encodeURIComponent(`${label.replaceAll(' ', '_')}-${fires}/${total}-${color}`)
  const image = `![${label}: ${fires}/${total}](https://img.shields.io/badge/${path})`
  return isPublic ? `[${image}](${publicHref(language)})` : image
}

function table(checked: readonly CheckedSkill[]): string {
  const { skill: name, ...columns } = texts.firing.columns
  const rows = checked.map(({ skill, fates }) => {
    const [fires, unsure] = [countFates(fates, 'fires'), countFates(fates, 'unsure')]
    return [
      skill.name.replaceAll('|', '\\|'),
      fates.length,
      fires,
      unsure,
      fates.length - fires - unsure,
    ]
  })
  return [[name, ...Object.values(columns)], ['---', '---:', '---:', '---:', '---:'], ...rows]
    .map(cells => `| ${cells.join(' | ')} |\n`)
    .join('')
}
