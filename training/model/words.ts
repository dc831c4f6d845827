/** Words of other languages paired with English words: those of the teacher's vocabulary, and those of ../words. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyze, TERM } from '../../src/core/text/analyze.js'
import { EUROPEAN } from '../../src/search/model/script-parts.js'
import { readWords } from '../words/read.js'
import type { Document, Pair } from './pair.js'
import { readData, type WordRow } from './sources.js'

/** Cosine of the teacher from which two words are taken to mean the same. */
const SAME = 0.7
/** Skills that an English word must be in. */
const MIN_SKILLS = 5
/** Lines of text that a word counts as where the vocabulary is chosen: frequent words first. */
const TEACHER_COUNT = 3
const OWN_COUNT = 6
const MIN_LETTERS = 3
const TRIGRAM = 3

/** @param python A Python with the packages of requirements.txt. */
export function addWordPairs(
  python: string,
  folder: string,
  pairs: Pair[],
  documents: Document[],
): void {
  const looksEuropean = europeanSpelling(documents)
  const words = teacherWords(python, folder, documents)
  for (const [rank, { word, english, cosine }] of words.entries()) {
    const latin = /^[a-zà-ÿœ]/.test(word)
    if (word === english || cosine < SAME || (latin && !looksEuropean(word))) continue
    pairs.push({
      kind: 'word',
      a: word,
      b: english,
      group: '',
      ...(latin ? { language: 'es' } : {}),
    })
    documents.push({
      kind: 'other',
      text: word,
      count: TEACHER_COUNT - rank / words.length,
      ...(latin ? { language: 'es' } : {}),
    })
  }
  for (const { language, word, english } of readWords()) {
    pairs.push({ kind: 'word', a: word, b: english, group: '', language })
    documents.push({ kind: 'other', text: word, language, count: OWN_COUNT })
  }
}

function teacherWords(
  python: string,
  folder: string,
  documents: readonly Document[],
): { word: string; english: string; cosine: number }[] {
  const file = join(folder, 'words.tsv')
  if (!existsSync(file)) {
    writeFileSync(join(folder, 'english.txt'), englishWords(documents).join('\n'))
    const script = fileURLToPath(new URL('words.py', import.meta.url))
    execFileSync(python, [script, join(folder, 'english.txt'), file], { stdio: 'inherit' })
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [word = '', english = '', cosine] = line.split('\t')
      return { word, english, cosine: Number(cosine) }
    })
}

/** Words of WordNet that skills use. */
function englishWords(documents: readonly Document[]): string[] {
  const known = new Set(
    readData<WordRow>('wordnet').flatMap(({ lemma, synonyms }) => [lemma, ...synonyms]),
  )
  const counts = new Map<string, number>()
  for (const { kind, text } of documents) {
    if (kind !== 'skill') continue
    for (const word of new Set(termsOf(text))) {
      if (/^[a-z]+$/.test(word) && word.length >= MIN_LETTERS && known.has(word)) {
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
  }
  return [...counts]
    .filter(([, count]) => count >= MIN_SKILLS)
    .map(([word]) => word)
    .sort()
}

/** Tells whether a word is spelled as words of Spanish, German, French and Portuguese are: by its runs of three letters. */
function europeanSpelling(documents: readonly Document[]): (word: string) => boolean {
  const runs = new Map<string, Set<string>>()
  for (const { text, language } of documents) {
    if (!language || !EUROPEAN.has(language)) continue
    for (const word of termsOf(text)) {
      for (const run of trigrams(word)) {
        const words = runs.get(run) ?? new Set()
        runs.set(run, words.add(word))
      }
    }
  }
  // A run of letters that five words have is common.
  const common = new Set([...runs].filter(([, words]) => words.size >= 5).map(([run]) => run))
  return word => termsOf(word).every(term => trigrams(term).every(run => common.has(run)))
}

function trigrams(word: string): string[] {
  const marked = `^${word}$`
  return Array.from({ length: marked.length - TRIGRAM + 1 }, (_, at) =>
    marked.slice(at, at + TRIGRAM),
  )
}

function termsOf(text: string): string[] {
  const terms: string[] = []
  analyze(text, (term, kind) => {
    if (kind & TERM) terms.push(term)
  })
  return terms
}
