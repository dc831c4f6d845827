/** The version that is used: the latest by the order of semantic versions, or by their characters where one is something else. */
export function newest(versions: readonly string[]): string | undefined {
  return [...versions].sort(compareVersions).at(-1)
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\da-z.-]+))?(?:\+[\da-z.-]+)?$/i

function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (!left || !right) return compareTexts(a, b)
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part])
    if (difference !== 0) return difference
  }
  return comparePrereleases(left[4], right[4])
}

/** A release comes after its prereleases. Numbers are compared as numbers, and come before words. */
function comparePrereleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const [left, right] = [a.split('.'), b.split('.')]
  for (const [index, one] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (one === other) continue
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (isNumber && isOtherNumber) return Number(one) - Number(other)
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
    return compareTexts(one, other)
  }
  return left.length - right.length
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
