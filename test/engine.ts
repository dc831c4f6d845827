/** Engines that lack something, for tests that say so where it matters. */
const { userAgent = '' } = (globalThis as { navigator?: { userAgent?: string } }).navigator ?? {}

export const isFirefox = /\bFirefox\//.test(userAgent)
/** WebKit and Bun. */
export const isJavaScriptCore =
  'Bun' in globalThis || (/\bAppleWebKit\//.test(userAgent) && !/\bChrome\//.test(userAgent))
export const isChromium = /\bChrome\//.test(userAgent)
