/**
 * Measures the model in model/ and writes model/CARD.md:
 *     npx tsx training/model/card.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { PoolSkill, TriggerQuery } from '../../bench/rank/data.js'
import { figuresByLanguage } from '../../bench/rank/measure.js'
import { MODEL, openModel } from '../../bench/rank/model.js'
import { type Mix, measureMixes } from '../../bench/rank/static.js'
import { markdownTable } from '../../bench/report/table.js'
import { digestOf } from '../../src/core/digest.js'
import { readModelFile } from '../../src/embed/format.js'
import { readData } from './sources.js'

const FILES = {
  'latin-128.bin': 'words: vocabulary, document counts, dimensions 1 to 128',
  'latin-256.bin': 'words: dimensions 129 to 256',
  'han-128.bin': 'ideographs, kana, Hangul and the like: vocabulary, document counts, dimensions 1 to 128',
  'han-256.bin': 'the same: dimensions 129 to 256',
}
const MIXES: Readonly<Record<string, Mix>> = {
  'meaning alone': () => 1,
  'both, a = .15': () => 0.15,
  'both, a = .3': () => 0.3,
}

const queries = readData<TriggerQuery>('triggers-dev')
const pools = readData<PoolSkill>('triggers-dev-pools')
const rows: string[][] = []
for (const prefix of [false, true])
  for (const [name, outcomes] of Object.entries(await measureMixes(openModel(MODEL, prefix), queries, pools, MIXES)))
    for (const [language, { r1, r5, macroR1, n }] of Object.entries(figuresByLanguage(outcomes)))
      if (n >= 30)
        rows.push([
          name,
          prefix ? '128' : '256',
          language,
          r1.toFixed(3),
          r5.toFixed(3),
          macroR1?.toFixed(3) ?? '-',
          String(n),
        ])

const files = Object.keys(FILES).map(name => ({ name, bytes: new Uint8Array(readFileSync(`${MODEL}/${name}`)) }))
const [latin, , han] = files.map(({ bytes }) => readModelFile(bytes).head)
const card = `# The bundled model

One vector per term: a text's vector is the sum of those of its terms, made unit length. ${latin?.rows} words and ${han?.rows} runs of one to
three ideographs (kana and Hangul: two or three), 256 dimensions of which the first 128 work alone, 4 bits a weight. Weights \`${latin?.weights}\`,
analysis \`${latin?.analyzer}\`, seed ${latin?.seed}.

Made by \`npm run train\`; this card by \`npx tsx training/model/card.ts\`.

## Files

${markdownTable(
  ['file', 'holds', 'bytes', 'sha256'],
  files.map(({ name, bytes }) => [
    `\`${name}\``,
    FILES[name as keyof typeof FILES],
    String(bytes.length),
    `\`${digestOf(bytes).slice(7)}\``,
  ]),
)}

## Figures

Messages that skill authors wrote, each against the library it was written for (ten skills and more). The mix is
\`a cos / max |cos| + (1 - a) words / max words\`. Macro: mean over libraries with at least ten messages.

${markdownTable(['', 'dimensions', 'language', 'R@1', 'R@5', 'macro R@1', 'messages'], rows)}

The mixes were picked on these messages, so they flatter a little. What the library does, with words alone beside it:
\`npm run rank -- --matcher hybrid --against lexical\`.

## Trained on

| data | licence | attribution |
|---|---|---|
| SKILL.md files of the public ClawHub registry and their translations: names, descriptions, headings, paragraphs, phrases, aligned lines | MIT-0; other rows under permissive licences | the authors of the skills |
| Chinese and English descriptions of commands | CC BY 4.0 | the tldr-pages project, https://github.com/tldr-pages/tldr |
| Words, synonyms, glosses | CC BY 4.0 | Open English WordNet, https://github.com/globalwordnet/english-wordnet, derived from Princeton WordNet |
| Where the vectors of words start: all-MiniLM-L6-v2, of each word by itself, in its principal components | Apache-2.0 | sentence-transformers, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 |

Changed: cut into pairs of texts, and kept only as vectors and single terms. The skills and messages of the figures above, and what is nearly the same as them, were left out
(\`training/model/reserved.ts\`): bodies of such skills too, and all translated lines that come from them.

## Meant for

Finding the agent skill that serves a message, beside a search by words. English, Chinese, and Chinese messages to English skills.

## Limits

- A sum of words knows no order and no negation: "not for invoices" is near "for invoices".
- Japanese, Korean, Cyrillic and other languages are covered only as far as the registry has some text in them.
- It knows the language of agent skills. A word it was not trained on counts as nothing.
- It may carry over prejudices of the texts it was trained on. It is meant for ranking skills, not for judging people or content.
`
writeFileSync(`${MODEL}/CARD.md`, card)
console.log(markdownTable(['', 'dimensions', 'language', 'R@1', 'R@5', 'macro R@1', 'messages'], rows))
