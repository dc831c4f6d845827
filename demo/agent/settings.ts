import type { ModelAddress } from './completions.js'

const STORED = 'skillshelf-model'
/** Dollars for a million tokens. */
export interface Prices {
  in: number
  out: number
}

const PRICES = 'skillshelf-prices'
const EMPTY: ModelAddress = { url: 'https://api.openai.com/v1', model: '', key: '' }

/** The address and key of a model. `sessionStorage` ends with the tab, and no other tab reads it. */
export function loadAddress(): ModelAddress {
  try {
    return {
      ...EMPTY,
      ...(JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<ModelAddress>),
    }
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

/** The prices that the user set, or those of a model of middle size. */
export function loadPrices(): Prices {
  try {
    return {
      in: 3,
      out: 15,
      ...(JSON.parse(sessionStorage.getItem(PRICES) ?? '{}') as Partial<Prices>),
    }
  } catch {
    return { in: 3, out: 15 }
  }
}

export function storePrices(prices: Prices): void {
  try {
    sessionStorage.setItem(PRICES, JSON.stringify(prices))
  } catch {
    // Without storage they hold until the page is closed.
  }
}
