/** Vectors that `publish --encoder` sends beside the folders of skills. */
export const VECTORS_FILE = 'skillshelf.vec'
