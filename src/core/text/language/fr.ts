import type { IndexingData, SpacedMatchingData } from './language.js'

/** French. */
export const matching: SpacedMatchingData = {
  // Left out: words that name something in another language or in computing, such as ai.
  functionWords:
    'le la les l un une des du de d au aux et ou ni mais donc car que qu qui quoi quel quelle quels quelles comment quand pourquoi je j me m moi mon ma mes tu te t ton ta tes il elle on se s sa ses nous notre nos vous votre vos ils leur leurs y en ce cet cette ces ca est suis sont ont a dans sur avec sans pour par si ne n pas puis peux peut pouvez veux voudrais dois faut besoin plait merci bonjour',
  leaning: {
    words:
      'aussi ca cela ce cette ces encore meme autre autres maintenant puis plutot plus oui continue',
    beginnings: 'et',
    // Pronouns after a verb: fais-le, montre-la.
    runs: String.raw`-l(?:e|a|es)(?!\p{L})`,
  },
  greetings: 'bonjour|salut|merci',
  ruledOut: {
    skillWord: 'comp[eé]tence',
    cues: String.raw`\bn['’]|\bne\s|\bpas\s|lieu|plut|sans|sauf|saute|ignore|[eé]vite|oublie|laisse\w*\s+tomber|[aà]\s+part\s|autre\s+chose|rien\s`,
    clauseStarts: 'mais|et',
    turns: 'mais|seulement',
    patterns: ({ start, rest, name, skill }) => [
      String.raw`${start}(?:(?:je\s+)?(?:ne\s+|n['’])\s*(?:veux|fais|faites|cr[eé]e|cr[eé]ez|utilise|utilisez|voudrais|pr[eé]pare|pr[eé]parez)\s+(?:surtout\s+)?pas|(?:surtout\s+)?pas\s+(?:de|d['’]|une?|la|le|les))\s*${rest}`,
      String.raw`${start}(?:ne\s+)?pas\s+(?!seulement\b)(?:utiliser\s+)?(?:avec\s+)?(?:l[ea]\s+|l['’])?${skill}`,
      String.raw`\b(?:au\s+lieu|plut[oô]t\s+que)\s+(?:de\s+|d['’])?(?:l[ea]\s+|l['’])?${skill}(?=\s+(?:utilise|prends|essaie|lance)\b)`,
      String.raw`\b(?:au\s+lieu|plut[oô]t\s+que)\s+(?:de\s+|d['’])?${rest}`,
      String.raw`${start}saute[rz]?\s+(?:l[ea]\s+|l['’])?${name}`,
      String.raw`${start}(?:ignore[rz]?|[eé]vite[rz]?|oublie[rz]?|laisse[rz]?\s+tomber|[aà]\s+part)\s+(?:d['’]utiliser\s+)?(?:l[ea]\s+|l['’])?${skill}`,
      String.raw`\bautre\s+chose\s+que\s+(?:l[ea]\s+|l['’])?${skill}`,
      String.raw`\b(?:tout|n['’]importe\s+quoi)\s+(?:sauf|except[eé])\s+(?:l[ea]\s+|l['’])?${name}`,
      String.raw`\bsans\s+(?:(?:utiliser|charger|ouvrir)\s+)?(?:l[ea]\s+|l['’])?${skill}`,
      String.raw`\bsauf\s+(?:l[ea]\s+|l['’])?${skill}`,
    ],
    negatedTwice: ({ skill }) => [
      String.raw`\b(?:rien(?:\s+d['’]autre)?|aucun\s+autre\s+skill)\s+(?:que|sauf|except[eé])(?!\p{L})`,
      String.raw`\bpas\s+autre\s+chose\s+que\b`,
      String.raw`\b(?:pas|jamais)\b[^.,;:!?()\n]{0,40}?\bsans(?=\s+(?:utiliser\s+)?(?:l[ea]\s+|l['’])?${skill})`,
      String.raw`\b(?:ne\s+|n['’])\s*(?:saute|ignore|[eé]vite|oublie|laisse)[rz]?\s+(?:surtout\s+)?pas\b`,
    ],
  },
  inflections: [
    { minStem: 3, endings: '- s x e es' },
    { minStem: 3, endings: 'er e es ez ent ee ees ant ons' },
    { minStem: 3, endings: 'al aux ale ales' },
  ],
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      String.raw`\bne\s+(?:pas|jamais)\s+(?:utiliser|employer|appliquer|d[ée]clencher|invoquer|activer)\b`,
      String.raw`\bn['’](?:utilise[rz]?|emploie|employez|est)\s+(?:pas|jamais)\s+(?:pour|destin[ée]|con[çc]u|fait|adapt[ée]|pr[ée]vu|cette|ce)`,
      String.raw`\bne\s+convient\s+pas\b|\bpas\s+(?:destin[ée]|con[çc]u|adapt[ée])e?s?\b`,
    ],
    notNegated: String.raw`\b(?:ou|si|que)\s+ne\s+pas\b`,
  },
  embedsAs: 'european',
  typicalWords:
    'le les une je pour avec mon mes dans qui sur pas est du au aux ce cette ces elle nous vous votre comment peux faire sont et',
}
