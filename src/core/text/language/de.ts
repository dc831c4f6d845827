import type { IndexingData, SpacedMatchingData } from './language.js'

/** German. */
export const matching: SpacedMatchingData = {
  // Left out: words that name something in another language or in computing, such as hat or war.
  functionWords:
    'der die das den dem des ein eine einen einem einer eines kein keine und oder aber dass ob wenn als wie was wer wo wann warum welche ich mich mir mein meine meinen meiner du dir dein deine er sie es wir uns unser unsere ihr ihre ihren sich in im an am auf aus bei beim durch fur mit nach ohne um uber unter von vom vor zu zum zur ist sind sein wird werden haben habe hast kann kannst konnen konntest muss soll will mochte nicht nur auch hier diese dieses diesen bitte danke hallo',
  leaning: {
    words:
      'auch das dies diese dieses diesen es sie ihn noch mal nochmal nochmals dasselbe gleiche jetzt dann stattdessen anders ja weiter',
    beginnings: 'und',
  },
  greetings: 'hallo|danke|tsch[uü]ss',
  ruledOut: {
    skillWord: 'fähigkeit|faehigkeit',
    cues: 'kein|statt|anstelle|ohne|au(?:ß|ss)er|überspring|ignorier|lass|nicht|vergiss|auslassen',
    clauseStarts: 'bitte|aber|und',
    turns: 'sondern|nur',
    patterns: ({ start, rest, name, skill }) => [
      String.raw`${start}(?:(?:ich\s+(?:will|m[oö]chte|brauche)\s+|mach(?:e|t|en)?\s+(?:mir\s+)?(?:bitte\s+)?)?kein(?:e|en|er|es)?)\s{1,2}(?!ahnung|problem|idee|plan|zeit)${rest}`,
      String.raw`\b(?:statt|anstatt|anstelle)\s+(?:(?:von|dem|den|der|des)\s+)?${skill}(?=\s+(?:nimm|(?:be)?nutze|verwende|lade|mach|bitte|lieber)\b)`,
      String.raw`\b(?:statt|anstatt|anstelle)\s+${rest}`,
      String.raw`${start}überspring(?:e|en)?\s+(?:bitte\s+)?(?:(?:den|die|das)\s+)?${name}`,
      String.raw`${start}(?:ignorier(?:e|en)?|vermeide|vergiss|(?:be)?nutze?\s+nicht|verwende\s+nicht)\s+(?:(?:den|die|das)\s+)?${skill}`,
      String.raw`\b(?:(?:be)?nutze|verwende|lade|nimm|(?:will|möchte|brauche|brauchst|brauchen))\s+(?:(?:den|die|das)\s+)?${skill}\s+(?:bitte\s+)?nicht\b`,
      String.raw`${start}(?:(?:bitte|bloß|nur)\s+)?nicht\s+(?!nur\b|alle\b)(?:mit\s+)?(?:(?:den|dem|der|die|das)\s+)?${skill}`,
      String.raw`(?:(?:den|die|das)\s+)?${skill}\s+(?:bitte\s+)?(?:überspringen|weglassen|auslassen)\b`,
      String.raw`${start}lass(?:e|t)?\s+(?:(?:den|die|das)\s+)?${name}\s+(?:weg|aus)\b`,
      String.raw`\b(?:alles|irgendwas|jeder\s+skill),?\s+(?:au(?:ß|ss)er|nur\s+nicht)\s+(?:(?:dem|den|die|das)\s+)?${name}`,
      String.raw`\bohne\s+(?:(?:den|die|das)\s+)?${skill}(?:\s+zu\s+(?:nutzen|benutzen|verwenden|laden|öffnen))?`,
      String.raw`\bau(?:ß|ss)er\s+(?:dem\s+)?${skill}`,
    ],
    negatedTwice: ({ skill }) => [
      String.raw`\b(?:nichts|kein(?:en)?(?:\s+anderen?r?)?\s+skill)\s+(?:anderes\s+)?(?:au(?:ß|ss)er|als)\b`,
      String.raw`\b(?:nicht|nie|niemals)\b[^.,;:!?()\n]{0,40}?\bohne(?=\s+(?:(?:den|die|das)\s+)?${skill})`,
      String.raw`(?<!\p{L})(?:überspring|ignorier|lass|vergiss)(?:e|en|t)?\s+(?:bitte\s+)?(?:(?:den|die|das)\s+)?${skill}\s+(?:bitte\s+)?(?:nicht|auf\s+keinen\s+fall)\b`,
      String.raw`\b(?:bitte\s+)?nicht\s+(?:(?:den|die|das)\s+)?${skill}\s+(?:überspringen|weglassen|auslassen|ignorieren|vergessen)\b`,
    ],
  },
  inflections: [
    { minStem: 3, endings: '- e en n s es em' },
    { minStem: 3, endings: 'en e t et st te ten est' },
    { minStem: 4, endings: 'eln el elt ele' },
  ],
  // Plurals.
  ownInflections: [{ minStem: 3, endings: '- er ern' }],
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      String.raw`\b(?:nicht|nie)\s+(?:(?:geeignet|gedacht|bestimmt|verwenden|benutzen|nutzen|einsetzen|anwenden)\s+)?(?:für|bei|wenn|um)\b`,
    ],
    finalPatterns: [
      String.raw`\bnicht\s+(?:zu\s+)?(?:verwenden|benutzen|nutzen|einsetzen|anwenden|geeignet|gedacht|bestimmt)\b`,
    ],
    notNegated: String.raw`\b(?:oder|ob|wie|was|wenn)\s+nicht\b|\bnicht\s+nur\b`,
  },
  embedsAs: 'european',
  typicalWords:
    'der das und ich nicht ein eine einen einem einer mit fur auf von zu zum zur wie kann mir mein meine meinen dem des bitte wir im um die ist sind haben unser unsere unserer ihr ihre keine kein welche mehr als bis er sie es vom beim ins dir mich uns seit diesem dieser am sich aus bei nach oder auch wenn dass noch alle',
}
