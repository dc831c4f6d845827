/** The file that makes a folder a packed library. It names every other file by digest; it is written last. */
export const CATALOG_FILE = 'skillshelf.json'
