import type { ModelAddress } from './completions.js'

const STORED = 'skillshelf-model'
const EMPTY: ModelAddress = { url: 'https://api.openai.com/v1', model: '', key: '' }

/** The address and key of a model. `sessionStorage` ends with the tab, and no other tab reads it. */
export function loadAddress(): ModelAddress {
  try {
    return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<ModelAddress>) }
  } catch {
    return EMPTY
  }
}

export function storeAddress(address: ModelAddress): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(address))
  } catch {
    // Without storage the address is asked for again.
  }
}
