const SKILL = '#/skill/'

/** The address of a skill inside the page; it can be sent to others. */
export function skillHash(id: string): string {
  return SKILL + id.split('/').map(encodeURIComponent).join('/')
}

/** The skill that an address names. */
export function skillOf(hash: string): string | undefined {
  if (!hash.startsWith(SKILL)) return undefined
  const id = hash.slice(SKILL.length)
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export function goToShelf(): void {
  location.hash = '#/'
}

export function goToSkill(id: string): void {
  location.hash = skillHash(id)
}
