import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { invalidInput } from '../../core/errors.js'

type Collection = YAMLMap | YAMLSeq

/** Adds a value to the list at `keys` in JSON, and creates what is missing. All else keeps its bytes. Throws for other types there. */
export function addToList(text: string, keys: readonly string[], value: unknown): string {
  const { path, missing } = findList(text, keys)
  const last = path.at(-1) as Collection
  const [first, ...rest] = missing
  const inner = rest.reduceRight<unknown>((content, key) => ({ [key]: content }), first === undefined ? value : [value])
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
  const pad = unit.repeat(path.length)
  const json = JSON.stringify(inner, undefined, unit).replaceAll('\n', `\n${pad}`)
  const added = first === undefined ? json : `${JSON.stringify(first)}: ${json}`
  const [start, end] = rangeOf(last)
  const before = last.items.at(-1) as Node | Pair | undefined
  if (!before)
    return `${text.slice(0, start + 1)}\n${pad}${added}\n${unit.repeat(path.length - 1)}${text.slice(end - 1)}`
  const [, at] = rangeOf(before)
  return `${text.slice(0, at)},\n${pad}${added}${text.slice(at)}`
}

/** Removes values from a list in JSON, and what is empty then. Everything else keeps its bytes. */
export function removeFromList(text: string, keys: readonly string[], isRemoved: (json: string) => boolean): string {
  const { path, missing } = findList(text, keys)
  const list = path.at(-1) as Collection
  const index = missing.length > 0 ? -1 : list.items.findIndex(item => isRemoved(text.slice(...rangeOf(item as Node))))
  if (index < 0) return text
  let depth = path.length - 1
  let place = index
  // What would be empty is removed with it, but not the root.
  while (depth > 0 && (path[depth] as Collection).items.length === 1) {
    depth--
    place = (path[depth] as YAMLMap).items.findIndex(({ value }) => value === path[depth + 1])
  }
  return removeFromList(cut(text, path[depth] as Collection, place), keys, isRemoved)
}

function cut(text: string, collection: Collection, index: number): string {
  const items = collection.items as (Node | Pair)[]
  const [start, end] = rangeOf(items[index] as Node | Pair)
  const before = items[index - 1]
  const after = items[index + 1]
  if (before) return text.slice(0, rangeOf(before)[1]) + text.slice(end)
  if (after) return text.slice(0, start) + text.slice(rangeOf(after)[0])
  const [opens, closes] = rangeOf(collection)
  return text.slice(0, opens + 1) + text.slice(closes - 1)
}

/** The collections from the root to the list, as far as they exist, and the keys that are missing. */
function findList(text: string, keys: readonly string[]): { path: Collection[]; missing: readonly string[] } {
  try {
    JSON.parse(text)
  } catch (cause) {
    throw invalidInput(`The settings are not JSON: ${(cause as Error).message}`, 'mend them, or add the hook by hand')
  }
  // JSON is YAML, and this parser says where each part is.
  const { contents } = parseDocument(text)
  const path: Collection[] = []
  let node: unknown = contents
  for (const [index, key] of keys.entries()) {
    if (!isMap(node)) throw wrongType(keys.slice(0, index), 'an object')
    path.push(node)
    const pair = node.items.find(one => isScalar(one.key) && one.key.value === key)
    if (!pair) return { path, missing: keys.slice(index) }
    node = pair.value
  }
  if (!isSeq(node)) throw wrongType(keys, 'a list')
  return { path: [...path, node], missing: [] }
}

function wrongType(keys: readonly string[], expected: string): Error {
  return invalidInput(`${keys.join('.') || 'The root'} of the settings is not ${expected}`, 'add the hook by hand')
}

function rangeOf(part: Node | Pair): [start: number, end: number] {
  const first = ('key' in part ? part.key : part) as Node
  const last = ('key' in part ? part.value : part) as Node
  return [first.range?.[0] ?? 0, last.range?.[1] ?? 0]
}
