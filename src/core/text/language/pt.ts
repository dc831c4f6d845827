import type { IndexingData, SpacedMatchingData } from './language.js'

/** Portuguese. */
export const matching: SpacedMatchingData = {
  functionWords:
    'o a as um uma uns umas de do da dos das no na nos nas ao aos em num numa por pelo pela para pra com sem sobre e ou mas que quem qual quais como quando onde quanto porque se nao sim me eu meu minha meus minhas te seu sua seus suas voce ele ela este esta isto esse essa isso sao ser estar estou tem tenho ter ha posso pode quero preciso favor ola',
  leaning: {
    words:
      'tambem isso isto esse essa esses essas este esta outro outra mesmo mesma agora entao mais sim continue',
    beginnings: 'e',
  },
  greetings: 'ol[aá]|oi|obrigad[oa]|tchau',
  ruledOut: {
    skillWord: 'habilidade',
    cues: String.raw`n[aã]o|\bvez\b|inv[eé]s|\bsem\s|menos|exceto|pul[ae]|salt[ae]|ignore|evite|esque[cç]a|nada|nunca|jamais`,
    clauseStarts: 'por favor|mas',
    turns: 'mas|apenas',
    patterns: ({ start, rest, name, skill }) => [
      String.raw`${start}(?:eu\s+)?n[aã]o\s+(?:me\s+)?(?:fa[cç]a|fa[cç]as|crie|use|uses|usa|quero|preciso\s+de|prepare|escreva|gere)\s+${rest}`,
      String.raw`${start}n[aã]o\s+(?!s[oó](?!\p{L}))(?:com\s+)?(?:o\s+|a\s+)?${skill}`,
      String.raw`\b(?:em\s+vez|ao\s+inv[eé]s)\s+d(?:e|o|a)\s+(?:usar\s+)?(?:o\s+|a\s+)?${skill}(?=\s+(?:use|usa|tente|carregue)\b)`,
      String.raw`\b(?:em\s+vez|ao\s+inv[eé]s)\s+d(?:e|o|a|os|as)\s+${rest}`,
      String.raw`${start}pul[ae]r?\s+(?:o\s+|a\s+)?${name}`,
      String.raw`${start}(?:ignore|evite|salt[ae]|esque[cç]a|nada\s+de)\s+(?:usar\s+)?(?:o\s+|a\s+)?${skill}`,
      String.raw`\b(?:tudo|qualquer\s+coisa)\s+(?:menos|exceto)\s+(?:o\s+|a\s+)?${name}`,
      String.raw`\bsem\s+(?:(?:usar|utilizar|carregar|abrir)\s+)?(?:o\s+|a\s+)?${skill}`,
      String.raw`\bexceto\s+(?:o\s+|a\s+)?${skill}`,
    ],
    negatedTwice: ({ skill }) => [
      String.raw`\b(?:n[aã]o\b[^.,;:!?()\n]{0,40}?\b)?(?:nada|nenhum(?:\s+outro)?\s+skill)\s+(?:al[eé]m\s+d[eoa]|exceto|menos|sen[aã]o|que\s+n[aã]o\s+seja)(?!\p{L})`,
      String.raw`\b(?:n[aã]o|nunca|jamais)\s[^.,;:!?()\n]{0,40}?\bsem(?=\s+(?:usar\s+)?(?:o\s+|a\s+)?${skill})`,
      String.raw`\bn[aã]o\s+(?:pul[ae]|salt[ae]|ignore|evite|esque[cç]a)\b`,
    ],
  },
  inflections: [
    { minStem: 3, endings: '- s es' },
    { minStem: 3, endings: 'o a os as' },
    { minStem: 3, endings: 'ao oes aos aes' },
    { minStem: 2, endings: 'm ns' },
    { minStem: 3, endings: 'l is' },
    { minStem: 3, endings: 'ar o a am ando ado ada ados adas e em ei ou' },
    { minStem: 3, endings: 'er ir o e em a am endo indo ido ida idos idas' },
  ],
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      String.raw`\bn[ãa]o\s+(?:usar|use|utilizar|utilize|acionar|acione|ativar|ative|invocar|serve\s+para|se\s+destina|[ée]\s+(?:para|indicad|adequad))`,
    ],
    notNegated: String.raw`\b(?:ou|se|quando|que)\s+n[ãa]o\s+us`,
  },
  embedsAs: 'european',
  typicalWords:
    'os ao aos nao meu minha preciso quero isso esse essa uma pra voce tenho fazer pelo pela sao tem na da dos em o e',
}
