import type { SkillSummary } from 'skillshelf'
import { byId, make } from '../dom.js'
import { texts } from '../texts.js'
import { skillItem } from './results.js'

/** Skills that are listed. */
const MAX_LISTED = 200

/** Folders of the samples by subject. Skills elsewhere are in the last group. */
const GROUPS = {
  write:
    'email-writer legal-letter meeting-notes podcast-notes poem-writer ppt resume-writer translate-zh-en weekly-report xiaohongshu-post',
  data: 'chart-maker data-analysis excel-report file-diff image-tools invoice-organizer pdf sql-query',
  code: 'api-design code-review docker-deploy git-history kubernetes-debug log-analysis performance-profiling regex-helper security-audit unit-tests web-accessibility',
  think: 'budget-planner contract-review deep_research product-requirements user-interview',
  live: 'book-flight calendar-sync fitness-plan gift-ideas lesson-plan photo-editing-guide recipe-planner travel-itinerary',
} as const
type Group = keyof typeof GROUPS | 'other'

/** Lists the skills of a library: the samples by subject, other libraries as they are. */
export function showLibrary(
  skills: readonly SkillSummary[],
  { samples }: { samples: boolean },
): void {
  const listed = skills.slice(0, MAX_LISTED)
  const groups = new Map<Group, SkillSummary[]>()
  for (const skill of listed) {
    const group = samples ? groupOf(skill) : 'other'
    groups.set(group, [...(groups.get(group) ?? []), skill])
  }
  const order = [...Object.keys(GROUPS), 'other'] as Group[]
  byId('library', HTMLElement).replaceChildren(
    make('h2', {}, texts.skillCount(skills.length)),
    make(
      'div',
      { class: groups.size > 1 ? 'groups' : 'groups single' },
      ...order.flatMap(name => {
        const group = groups.get(name)
        const heading = groups.size > 1 && make('h3', {}, texts.groups[name])
        return group
          ? [
              make(
                'section',
                {},
                heading,
                make('ul', { class: 'listing' }, ...group.map(skillItem)),
              ),
            ]
          : []
      }),
    ),
    ...(skills.length > MAX_LISTED
      ? [make('p', { class: 'muted' }, texts.notListed(skills.length - MAX_LISTED))]
      : []),
  )
}

function groupOf({ path }: SkillSummary): Group {
  const found = Object.entries(GROUPS).find(([, folders]) => folders.split(' ').includes(path))
  return (found?.[0] as Group | undefined) ?? 'other'
}
