import type { TokenCounter } from '../../core/tokens.js'

/** A Markdown heading. Offsets are in UTF-16 units. */
export interface Heading {
  offset: number
  /** 1 to 6. */
  level: number
  /** The line, with its `#`. */
  line: string
}

/** A part of a text, from its heading to the next one of the same level. */
export interface Section {
  /** The line of the heading. */
  heading: string
  start: number
  end: number
}

/** The ATX headings of a text, in order. Fenced code has none. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = []
  let fence: string | undefined
  let offset = 0
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
    } else if (fence === undefined) {
      const level = /^ {0,3}(#{1,6})\s+\S/.exec(line)?.[1]?.length
      if (level !== undefined) headings.push({ offset, level, line: line.trim() })
    }
    offset += line.length + 1
  }
  return headings
}

/**
 * Divides a text at the highest level of headings that it has several of and that makes a first section which fits. The first section begins
 * with the text.
 * @returns `[]` if no heading divides it.
 */
export function sectionsOf(text: string, fits: (section: string) => boolean): Section[] {
  const headings = headingsOf(text)
  const divisions = [1, 2, 3, 4, 5, 6]
    .map(level => divideAt(headings, level, text.length))
    .filter(sections => sections.length > 1)
  return divisions.find(([first]) => fits(text.slice(0, first?.end))) ?? divisions[0] ?? []
}

function divideAt(headings: readonly Heading[], level: number, length: number): Section[] {
  // A title above the first heading of the level is no section of its own.
  const first = headings.findIndex(heading => heading.level === level)
  const parts = headings.filter((heading, at) => at >= first && heading.level <= level)
  if (first < 0) return []
  return parts.map(({ line, offset }, at) => ({
    heading: line,
    start: at === 0 ? 0 : offset,
    end: parts[at + 1]?.offset ?? length,
  }))
}

/** Finds a section by its heading, with or without `#` and in any case, or by its number from 1. */
export function findSection(sections: readonly Section[], name: string): Section | undefined {
  const wanted = fold(name)
  return (
    sections.find(({ heading }) => fold(heading) === wanted) ?? sections[Number(name.trim()) - 1]
  )
}

const fold = (heading: string): string =>
  heading
    .replace(/^[\s#]+/, '')
    .trim()
    .toLowerCase()

/** A line for each section: its heading and its tokens. */
export function outline(
  text: string,
  sections: readonly Section[],
  countTokens: TokenCounter,
): string[] {
  return sections.map(
    ({ heading, start, end }) => `${heading} (${countTokens(text.slice(start, end))} tokens)`,
  )
}
