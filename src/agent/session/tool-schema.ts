import type * as z from 'zod/mini'
import { SkillshelfError } from '../../core/errors.js'
import { jsonSchema } from '../../core/input-errors.js'
import { isRecord } from '../../core/plain-data.js'
import type { ToolInputSchema, ToolParameter } from './tool-types.js'

/*
 * What every provider takes. docs/agents.md has the table of providers, and test/provider-rules.ts their rules. Limits such as `maximum` and
 * `maxLength` are left to the check of the input: grammars of llama.cpp fail on large ones, and strict tools of Anthropic refuse them.
 */
const KEYWORDS: ReadonlySet<string> = new Set(['type', 'description', 'enum', 'items'])
/** OpenAI refuses longer descriptions of tools for some models, and Claude Code cuts those of MCP at 2 KB. */
const MAX_DESCRIPTION = 1_024
const MAX_DESCRIPTION_BYTES = 2_048
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** The JSON Schema of the input of a tool, of keywords that every provider takes. */
export function toolInputSchema(schema: z.ZodMiniType): ToolInputSchema {
  const { properties = {}, required = [] } = jsonSchema(schema) as Partial<ToolInputSchema>
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, plainParameter(one)]),
    ),
    required,
    additionalProperties: false,
  }
}

function plainParameter(schema: object): ToolParameter {
  const kept = Object.entries(schema).filter(([keyword]) => KEYWORDS.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      keyword === 'items' && isRecord(value) ? plainParameter(value) : value,
    ]),
  ) as unknown as ToolParameter
}

/** The schema for strict tools of OpenAI: every property is required, and one that may be absent may be `null`. */
export function strictSchema(schema: ToolInputSchema): ToolInputSchema {
  const properties = Object.entries(schema.properties).map(([name, one]) => {
    const isPlain = schema.required.includes(name) || Array.isArray(one.type)
    return [name, isPlain ? one : { ...one, type: [one.type, 'null'] }]
  })
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: Object.keys(schema.properties),
  }
}

/**
 * @param fix What to do about a name that is refused.
 * @throws SkillshelfError `invalid-input` if a provider refuses the name of a tool
 */
export function checkToolName(name: string, fix: string): void {
  if (TOOL_NAME.test(name)) return
  throw new SkillshelfError('invalid-input', `The tool name ${JSON.stringify(name)} is not valid`, {
    subject: name,
    hint: `names have 1 to 64 letters a-z, digits, hyphens and underscores: ${fix}`,
  })
}

/** Whether every provider takes a text as the description of a tool. */
export function isToolDescription(text: string): boolean {
  return (
    text.length <= MAX_DESCRIPTION && new TextEncoder().encode(text).length <= MAX_DESCRIPTION_BYTES
  )
}
