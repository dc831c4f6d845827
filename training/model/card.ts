/**
 * Measures the model in model/ and writes model/CARD.md:
 *     npx tsx training/model/card.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { PoolSkill, TriggerQuery } from '../../bench/rank/data.js'
import { figuresByLanguage } from '../../bench/rank/measure.js'
import { MODEL, openModel } from '../../bench/rank/model.js'
import { markdownTable } from '../../bench/report/table.js'
import { digestOf } from '../../src/core/digest.js'
import { type ModelHead, readModelFile } from '../../src/search/model/format.js'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import { type Mix, measureMixes } from './mixes.js'
import { readData } from './sources.js'

const HOLDS: Readonly<Record<Part, string>> = {
  latin: 'words of English, and words that other languages share with it',
  european: 'other words of Spanish, German, French and Portuguese',
  cyrillic: 'words of Russian',
  han: 'runs of one to three ideographs',
  kana: 'runs of two or three kana',
  hangul: 'runs of two or three syllables of Hangul',
}
const MIXES: Readonly<Record<string, Mix>> = {
  'meaning alone': () => 1,
  'both, a = .15': () => 0.15,
  'both, a = .3': () => 0.3,
}

const queries = readData<TriggerQuery>('triggers-dev')
const pools = readData<PoolSkill>('triggers-dev-pools')
const rows: string[][] = []
for (const [name, outcomes] of Object.entries(
  await measureMixes(openModel(MODEL), queries, pools, MIXES),
)) {
  for (const [language, { r1, r5, macroR1, n }] of Object.entries(figuresByLanguage(outcomes))) {
    if (n >= 30) {
      rows.push([
        name,
        language,
        r1.toFixed(3),
        r5.toFixed(3),
        macroR1?.toFixed(3) ?? '-',
        String(n),
      ])
    }
  }
}

const files = PARTS.map(part => ({
  part,
  bytes: new Uint8Array(readFileSync(`${MODEL}/${part}.bin`)),
}))
const heads = files.map(({ bytes }) => readModelFile(bytes).head)
const [head] = heads as [ModelHead]
const card = `# The bundled model

One vector per term: a text's vector is the sum of those of its terms, made unit length. ${heads.reduce((sum, { rows: terms }) => sum + terms, 0)} terms: words, beginnings of words
for words outside the vocabulary, and runs of characters. ${head.dimensions} dimensions, 4 bits a weight. Weights \`${head.weights}\`, analysis
\`${head.analyzer}\`, seed ${head.seed}.

The mean of three runs. Made by \`npm run train\`; this card by \`npx tsx training/model/card.ts\`.

## Files

${markdownTable(
  ['file', 'holds', 'terms', 'bytes', 'sha256'],
  files.map(({ part, bytes }, index) => [
    `\`${part}.bin\``,
    HOLDS[part],
    String(heads[index]?.rows),
    String(bytes.length),
    `\`${digestOf(bytes).slice(7)}\``,
  ]),
)}

## Figures

Messages that skill authors wrote, each against the library it was written for (ten skills and more). The mix is
\`a cos / max |cos| + (1 - a) words / max words\`. Macro: mean over libraries with at least ten messages.

${markdownTable(['', 'language', 'R@1', 'R@5', 'macro R@1', 'messages'], rows)}

The mixes were picked on these messages, so they flatter a little. What the library does, with words alone beside it:
\`npm run rank -- --matcher hybrid --against lexical\`.

## Trained on

| data | licence | attribution |
|---|---|---|
| SKILL.md files of the public ClawHub registry and their translations: names, descriptions, headings, paragraphs, phrases, aligned lines | MIT-0; other rows under permissive licences | the authors of the skills |
| Chinese and English descriptions of commands | CC BY 4.0 | the tldr-pages project, https://github.com/tldr-pages/tldr |
| Words, synonyms, glosses | CC BY 4.0 | Open English WordNet, https://github.com/globalwordnet/english-wordnet, derived from Princeton WordNet |
| Lines of software in eight languages | MIT | Microsoft, translations of Visual Studio Code |
| Descriptions of commands in eight languages | CC BY 4.0 | the tldr-pages project |
| Labels of emoji in eight languages | MIT, Unicode License | emojibase, Unicode CLDR |
| Chinese senses of WordNet | WordNet License | Chinese Open Wordnet |
| Messages of users in nine languages, \`training/messages\` | MIT | this project |
| The first teacher: where the rows start, and where texts point | Apache-2.0 | Google, universal-sentence-encoder-multilingual 3 |
| The second: how near texts are to skills | MIT, Apache-2.0 | skillshelf-encoder, \`model/encoder\`, made from multilingual-e5-small by Microsoft and all-mpnet-base-v2 by the sentence-transformers project |

Changed: cut into pairs of texts, and kept only as vectors and single terms. The skills and messages of the figures above, and what is nearly the same as them, were left out
(\`training/model/reserved.ts\`): bodies of such skills too, and all translated lines that come from them.

## Meant for

Finding the agent skill that serves a message, beside a search by words. Messages and skills in English, Chinese, Japanese, Korean, Spanish,
German, French, Portuguese and Russian, also across these languages.

## Limits

- A sum of words knows no order and no negation: "not for invoices" is near "for invoices".
- English and Chinese were trained on most text. Other languages than the nine are not covered.
- It knows the language of agent skills. A word it was not trained on counts as nothing.
- It may carry over prejudices of the texts it was trained on. It is meant for ranking skills, not for judging people or content.
`
writeFileSync(`${MODEL}/CARD.md`, card)
console.log(markdownTable(['', 'language', 'R@1', 'R@5', 'macro R@1', 'messages'], rows))
