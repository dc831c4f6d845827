import { showHiddenKeepingLines } from '../../core/sanitize.js'
import type { Dialect, SkillTool } from './types.js'

/** A dialect whose prompt texts and tool results show hidden characters of skills, whatever their format is. */
export function visibleDialect(dialect: Dialect): Dialect {
  const { sections } = dialect
  return {
    ...dialect,
    catalog: session => showHiddenKeepingLines(dialect.catalog(session)),
    skillText: (session, open) => showHiddenKeepingLines(dialect.skillText(session, open)),
    reminder: skill => showHiddenKeepingLines(dialect.reminder(skill)),
    ...(sections ? { sections: session => showHiddenKeepingLines(sections(session)) } : {}),
    tools: session => dialect.tools(session).map(visibleTool),
  }
}

function visibleTool(tool: SkillTool): SkillTool {
  return {
    ...tool,
    get description() {
      return showHiddenKeepingLines(tool.description)
    },
    async execute(input, options) {
      const { text, data, ...result } = await tool.execute(input, options)
      return {
        ...result,
        text: showHiddenKeepingLines(text),
        ...(data ? { data: visibleData(data) as Readonly<Record<string, unknown>> } : {}),
      }
    },
  }
}

function visibleData(value: unknown): unknown {
  if (typeof value === 'string') return showHiddenKeepingLines(value)
  if (Array.isArray(value)) return value.map(visibleData)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visibleData(one)]))
}
