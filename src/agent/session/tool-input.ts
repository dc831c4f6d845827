import { isRecord, parseJson } from '../../core/plain-data.js'
import { withoutQuotes } from './skill-names.js'
import type { ToolInputSchema, ToolParameter } from './tool-types.js'

/**
 * The arguments of a call as its tool reads them. Models send numbers as text, `null` or `""` for what is absent, one text for a list, the
 * whole input as JSON text, and names of arguments in another case: `skillName` for `skill_name`. What is not understood stays as it is, for
 * the check of the tool.
 */
export function readToolInput({ properties, required }: ToolInputSchema, input: unknown): unknown {
  const given = typeof input === 'string' ? (parseJson(input.trim() || '{}') ?? input) : input
  if (given === undefined || given === null) return {}
  if (!isRecord(given)) return given
  const byFoldedName = new Map(Object.entries(given).map(([name, value]) => [fold(name), value]))
  const read = Object.entries(properties).map(([name, parameter]) => {
    const value = Object.hasOwn(given, name) ? given[name] : byFoldedName.get(fold(name))
    return [name, readArgument(parameter, value, required.includes(name))] as const
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** @returns `undefined` for one that is absent */
function readArgument({ type }: ToolParameter, value: unknown, isRequired: boolean): unknown {
  if (value === null || value === undefined) return undefined
  if (
    !isRequired &&
    typeof value === 'string' &&
    /^(?:null|none|undefined)?$/i.test(value.trim())
  ) {
    return undefined
  }
  switch (type) {
    case 'integer':
    case 'number':
      return readNumber(value)
    case 'array':
      return readList(value)
    default:
      return typeof value === 'string' ? withoutQuoting(value) : value
  }
}

/** A text that is quoted as a whole, without its quotes. */
function withoutQuoting(text: string): string {
  const [first, last] = [text.trim().at(0), text.trim().slice(1).at(-1)]
  return first === last && /^["'`]$/.test(first ?? '') ? withoutQuotes(text) : text
}

function readNumber(value: unknown): unknown {
  const text = typeof value === 'string' ? withoutQuotes(value) : ''
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : value
}

function readList(value: unknown): unknown {
  const list = typeof value === 'string' ? (parseJson(value) ?? value) : value
  if (Array.isArray(list)) return list.filter(one => one !== null)
  return typeof list === 'string' ? [list] : list
}
