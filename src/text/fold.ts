/** Folds case, width and Unicode form, and trims, for comparing texts as a reader does. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim()
}
