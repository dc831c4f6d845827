/** Modules of dependencies that skillshelf loads in a page. Vite would discover those that are not listed late, and reload the page. */
export const PAGE_DEPENDENCIES = [
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
  'comlink',
  'fflate',
  'idb',
  'idb-keyval',
  'modern-tar',
  'mrmime',
  'yaml',
]
