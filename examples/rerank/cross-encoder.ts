import { AutoModelForSequenceClassification, AutoTokenizer } from '@huggingface/transformers'
import type { Reranker } from 'skillshelf/match'

/**
 * Loads a cross-encoder as reranker. It reads the message and a skill together: slower than a search, and more precise. In a page,
 * run it in a Web Worker.
 *
 * @param id Model on the Hugging Face hub.
 */
export async function crossEncoder(id = 'Xenova/ms-marco-MiniLM-L-6-v2'): Promise<Reranker> {
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(id),
    AutoModelForSequenceClassification.from_pretrained(id, { dtype: 'q8' }),
  ])
  return async ({ message }, candidates) => {
    const texts = candidates.map(
      ({ name, displayName, description }) => `${displayName ?? name}: ${description}`,
    )
    const pairs = tokenizer(new Array<string>(texts.length).fill(message), {
      text_pair: texts,
      padding: true,
      truncation: true,
    })
    const { logits } = await model(pairs)
    const scores = (logits.tolist() as number[][]).map(([score = 0]) => score)
    return candidates
      .map(({ id }, index) => ({ id, score: scores[index] as number }))
      .sort((a, b) => b.score - a.score)
      .map(({ id }) => id)
  }
}
