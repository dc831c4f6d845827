/** The test runner provides this only in its own page: what its rewritten imports call. */
Object.assign(globalThis, {
  __vitest_browser_runner__: { wrapDynamicImport: (load: () => unknown) => load() },
})
