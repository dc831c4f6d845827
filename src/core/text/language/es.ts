import type { IndexingData, SpacedMatchingData } from './language.js'

/** Spanish. */
export const matching: SpacedMatchingData = {
  functionWords:
    'el la los las lo un una unos unas de del al a y e o que quien cual cuales como cuando donde cuanto porque por para con sin en entre sobre si no pero mas muy me mi mis te tu tus se su sus le les nos nuestro nuestra yo este esta esto estos estas ese esa eso es son ser estar estoy hay he ha tengo puedo puedes puede quiero necesito favor gracias hola',
  leaning: {
    words:
      'eso esto esos estos ese esa aquello tambien otra otro otros otras mismo misma ahora entonces mas si vale continua',
    beginnings: 'y e',
  },
  greetings: 'hola|gracias|adi[oó]s',
  ruledOut: {
    skillWord: 'habilidad',
    cues: String.raw`\bno\b|\bsin\s|\bvez\b|lugar|menos|excepto|salvo|omite|ignora|evita|s[aá]lta|olvida|deja\s+fuera|aparte\s+de|nada|nunca|jam[aá]s`,
    clauseStarts: 'por favor|pero',
    turns: 'sino|solo',
    patterns: ({ start, rest, name, skill }) => [
      String.raw`${start}(?:no\s+(?:me\s+)?(?:hagas|hag[aá]is|crees|uses|quiero|necesito|prepares|escribas|conviertas)|sin\s+hacer)\s+${rest}`,
      String.raw`${start}no\s+(?!s[oó]lo\b)(?:con\s+)?(?:el\s+|la\s+)?${skill}`,
      String.raw`\ben\s+(?:vez|lugar)\s+de(?:l)?\s+(?:usar\s+)?(?:el\s+|la\s+)?${skill}(?=\s+(?:usa|utiliza|prueba|carga)\b)`,
      String.raw`\ben\s+(?:vez|lugar)\s+de\s+${rest}`,
      String.raw`${start}(?:omite|s[aá]lta(?:te)?)\s+(?:el\s+|la\s+)?${name}`,
      String.raw`${start}(?:ignora|evita|olvida(?:te\s+de)?|deja\s+fuera|aparte\s+de|nada\s+de)\s+(?:usar\s+)?(?:el\s+|la\s+)?${skill}`,
      String.raw`\b(?:todo|cualquier\s+cosa)\s+(?:menos|excepto|salvo)\s+(?:el\s+|la\s+)?${name}`,
      String.raw`\bsin\s+(?:(?:usar|utilizar|cargar|abrir)\s+)?(?:el\s+|la\s+)?${skill}`,
      String.raw`\b(?:excepto|salvo)\s+(?:el\s+|la\s+)?${skill}`,
    ],
    negatedTwice: ({ skill }) => [
      String.raw`\b(?:no\b[^.,;:!?()\n]{0,40}?\b)?(?:nada|ning[uú]n\s+(?:otro\s+)?skill)\s+(?:m[aá]s\s+que|que\s+no\s+sea|excepto|salvo|menos|que)\b`,
      String.raw`\b(?:no|nunca|jam[aá]s)\b[^.,;:!?()\n]{0,40}?\bsin(?=\s+(?:usar\s+)?(?:el\s+|la\s+)?${skill})`,
      String.raw`\bno\s+(?:te\s+)?(?:omitas|saltes|olvides|ignores|evites|dejes\s+fuera)\b`,
    ],
  },
  inflections: [
    { minStem: 3, endings: '- s es' },
    { minStem: 3, endings: 'o a os as' },
    { minStem: 3, endings: 'z ces' },
    { minStem: 3, endings: 'ar o a as an ando ado ada ados adas e en' },
    { minStem: 3, endings: 'er ir o e en a an iendo ido ida idos idas' },
  ],
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      String.raw`\b(?:no\s+(?:usar|use|uses|utilizar|utilice|utilices|usa|activar|active|invocar|se\s+usa|es\s+para|sirve\s+para|apto|adecuad[oa]|indicad[oa]))\b`,
    ],
  },
  embedsAs: 'european',
  typicalWords:
    'el la los las del que para por con un una mi mis su como quiero necesito cuando pero mas este esta esto tengo puedo hay sin sobre todo y en se lo de',
}
