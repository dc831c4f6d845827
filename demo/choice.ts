/** What a person chose on this page, for the next visit. Where storage is forbidden a choice lasts as long as the page. */

type Choice = 'language' | 'model'

export function remember(choice: Choice, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(keyOf(choice))
    else localStorage.setItem(keyOf(choice), value)
  } catch {}
}

export function remembered(choice: Choice): string | undefined {
  try {
    return localStorage.getItem(keyOf(choice)) ?? undefined
  } catch {
    return undefined
  }
}

function keyOf(choice: Choice): string {
  return `skillshelf.${choice}`
}
