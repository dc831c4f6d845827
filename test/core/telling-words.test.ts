import { describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'

const skill = (description: string, body = ''): string =>
  `---\ndescription: ${description}\n---\n${body}\n`

/** The names of the skills that are found by words, best first. */
async function find(files: Record<string, string>, message: string): Promise<string[]> {
  await using library = await openLibrary(files, { embedder: false })
  const { matches } = await library.search(message)
  return matches.map(({ name }) => name)
}

describe('skills that are close relatives', () => {
  const slides = {
    'sales-slides/SKILL.md': skill('Makes slides of the sales report'),
    'finance-slides/SKILL.md': skill('Makes slides of the finance report'),
    'design-slides/SKILL.md': skill('Makes slides of the design report'),
    'support-slides/SKILL.md': skill('Makes slides of the support report'),
    'report-slides/SKILL.md': skill('Makes report slides: slides of any report'),
    'legal-slides/SKILL.md': skill(
      'Makes slides of the legal report',
      `${'One more sentence on the work. '.repeat(300)} Prints handouts.`,
    ),
  }

  it('[BY-1] the one that alone has a word of the message is before those that say the common words more often', async () => {
    expect((await find(slides, 'slides of a report with handouts'))[0]).toBe('legal-slides')
    expect((await find(slides, 'slides of a report'))[0]).toBe('report-slides')
  })

  it('[BY-1] the one whose name the message has whole is before one whose name says more', async () => {
    const surveys = {
      'customer-survey/SKILL.md': skill('Asks people'),
      'customer-survey-kit/SKILL.md': skill(
        `Asks people ${'in many ways '.repeat(15)} for a customer survey`,
      ),
      'other/SKILL.md': skill('Bakes bread'),
    }
    expect((await find(surveys, 'survey each customer'))[0]).toBe('customer-survey')
    expect((await find(surveys, 'a survey kit for each customer'))[0]).toBe('customer-survey-kit')
  })
})
