/** The test runner provides these only in its own page: what its rewritten imports call, and the mock of test/words-only.ts. */
Object.assign(globalThis, {
  __vitest_browser_runner__: { wrapDynamicImport: (load: () => unknown) => load() },
  __vitest_mocker__: { getFactoryModule: async () => ({ defaultModel: () => undefined }) },
})
