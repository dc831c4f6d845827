import { readFileSync } from 'node:fs'

/** A word or phrase of a language, with its English meaning. */
export interface TranslatedWord {
  /** BCP 47. */
  language: string
  word: string
  english: string
}

/** The words of words.tsv: each variant of another language with each English one. */
export function readWords(): TranslatedWord[] {
  const [head = '', ...lines] = readFileSync(new URL('words.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
  const [, ...languages] = head.split('\t')
  return lines.flatMap(line => {
    const [english = '', ...cells] = line.split('\t')
    return languages.flatMap((language, column) =>
      variants(cells[column]).flatMap(word =>
        variants(english).map(meaning => ({ language, word, english: meaning })),
      ),
    )
  })
}

function variants(cell = ''): string[] {
  return cell
    .split('/')
    .map(word => word.trim())
    .filter(Boolean)
}
