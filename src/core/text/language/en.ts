import type { IndexingData, SpacedMatchingData } from './language.js'

/** English. */
export const matching: SpacedMatchingData = {
  functionWords:
    'a an the this that these those some any all i me my we us our you your he him his she her it its they them their who which what when where why how and or but not no yes if than as at by for from in into of off on out over to up with without about is am are was were be been do does did done have has had can could will would shall should may might must don doesn didn isn aren won wouldn t s m re ve ll d there here just also please tell thanks hello hi hey ok need want let',
  leaning: {
    words:
      'it its that this these those them they same again also too more another other else instead now then one ones both yes yeah ok okay sure please go on continue next previous shorter longer',
    beginnings: 'and or',
  },
  greetings: 'hello|hi|hey|thanks|thank you|good (?:morning|evening|night)|how are you|bye|goodbye',
  ruledOut: {
    skillWord: 'skills?',
    cues: String.raw`\bnot?\b|n['’]|dont|never|nothing|instead|rather|skip|avoid|ignore|leave|without|except|\bbut\b|other than|\bstop\s+using|forget|apart\s+from|aside|exclud|omit\s|disable|turn\s+off|drop\s`,
    clauseStarts: 'please|but|and|so|just',
    turns: 'but|just|only|instead',
    patterns: ({ start, rest, name, skill, called }) => [
      // An order, not a fact: "don't make slides", but not "I don't know", "don't forget", "why don't you".
      String.raw`${start}(?:do\s+not|don['’]?t|never|no\s+need\s+(?:to|for)|i\s+(?:do\s+not|don['’]?t)\s+(?:want|need))\s{1,2}(?!know|understand|have|see|get|remember|think|care|like|feel|forget|worry|hesitate|let|break|lose|you\b|we\b|i\b|they\b|any(?:one|body)\b|people\b|others\b)${rest}`,
      String.raw`${start}not\s+(?:an?|any|the|as|with|by|another)\s+${rest}`,
      String.raw`${start}(?:you|we)\s+(?:do\s+not|don['’]?t)\s+need\s+(?:to\s+use\s+)?(?:the\s+)?${skill}`,
      String.raw`${start}no\s+\S+(?:\s+\S+)?\s+please\b`,
      String.raw`${start}no\s+${skill}`,
      // "use the one, not the other".
      String.raw`(?<=[,;]\s{0,2})not\s+(?:with\s+|via\s+)?(?!(?:sure|only|just|yet|now|too|bad|really|even|again|much|many|found|working)\b)(?:${skill}|[\p{L}\p{N}_-]{2,40}(?=\s*(?:[.,;!?]|$)))`,
      String.raw`\b(?:instead\s+of|rather\s+than)\s+(?:using\s+)?(?:the\s+)?${skill}(?=\s+(?:use|try|take|run|load|please)\b)`,
      String.raw`\b(?:instead\s+of|rather\s+than)\s+${rest}`,
      String.raw`${start}(?:skip|leave\s+out)\s+(?:the\s+)?${name}`,
      String.raw`${start}(?:avoid|ignore|stop|forget(?:\s+about)?|excluding|(?:apart|aside)\s+from)\s+(?:using\s+)?(?:the\s+)?${skill}`,
      String.raw`${start}(?:disable|turn\s+off|exclude|omit|drop)\s+(?:the\s+)?${called}`,
      String.raw`\bleave\s+(?:the\s+)?${skill}\s+(?:out|aside)\b`,
      String.raw`\b(?:the\s+)?${skill}\s+(?:is\s+not|isn['’]?t)\s+(?:needed|necessary|required|wanted)\b`,
      String.raw`\b(?:any(?:thing|\s+skill))\s+(?:but|except)\s+(?:for\s+)?(?:the\s+)?${name}`,
      String.raw`\b(?:everything|all)\s+(?:but|except)\s+(?:for\s+)?(?:the\s+)?${skill}`,
      String.raw`\bwithout\s+(?:using|loading|opening|running|calling|invoking|activating)\s+(?:the\s+)?${name}`,
      String.raw`\b(?:without|except(?:\s+for)?|other\s+than)\s+(?:the\s+)?${skill}`,
    ],
    negatedTwice: ({ skill }) => [
      String.raw`\b(?:do\s+not|don['’]?t|never|not|can['’]?t|cannot|(?:must|should)n['’]?t)\s+(?:ever\s+)?(?:skip|leave\s+out|omit|ignore|avoid|disable|exclude|drop|forget)\b`,
      String.raw`\b(?:do\s+not|don['’]?t|never)\s+leave\s+(?:the\s+)?${skill}\s+(?:out|aside)\b`,
      String.raw`\b(?:nothing|no(?:\s+other)?\s+skills?)\s+(?:else\s+)?(?:but|except(?:\s+for)?|other\s+than)\b`,
      String.raw`\b(?:(?:do\s+)?not|never|don['’]?t)\b[^.,;:!?()\n]{0,60}?\bany(?:thing|(?:\s+other)?\s+skills?)\s+(?:else\s+)?(?:but|except(?:\s+for)?|other\s+than)\b`,
      String.raw`\b(?:(?:do\s+)?not|never|don['’]?t|can['’]?t|cannot)\b[^.,;:!?()\n]{0,60}?\bwithout(?=\s+(?:using\s+)?(?:the\s+)?${skill})`,
    ],
  },
  inflections: [
    { minStem: 3, endings: '- s es ed ing' },
    { minStem: 3, endings: 'e es ed ing' },
    { minStem: 2, endings: 'y ies ied ying' },
  ],
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      String.raw`\b(?:do|does|is|are|should|must|would)(?:\s+not|n['’]t)\s+(?:be\s+)?(?:use|used|invoke|invoked|trigger|triggered|activate|activated|apply|applied|fire|load|call|for|intended|meant|suitable|designed|appropriate|cover|covers|handle|handles|include)\b`,
      String.raw`\bnever\s+(?:use|invoke|trigger|activate|apply)\b`,
      String.raw`\bnot\s+(?:to\s+be\s+used\s+|intended\s+|suitable\s+|meant\s+|designed\s+|appropriate\s+|applicable\s+)?(?:for|when|if|to)\b`,
      String.raw`\bnot\s+(?:use|trigger)\b`,
      String.raw`\b(?:skip|avoid)\s+(?:this|it|using|when|for|if)\b`,
      String.raw`\b(?:out\s+of\s+scope|anti-?triggers?|non-?triggers?)\b`,
    ],
    notNegated: String.raw`\b(?:or|how|what|if)\s+not\b|\bnot\s+to\s+mention\b|\b(?:users?|people|they|you|someone)\s+(?:do|does)(?:\s+not|n['’]t)\b`,
    redirects: String.raw`for\s+(?:that|those|these)\b|use\s+\S+\s+(?:instead|for\s+(?:that|those|these))|(?:instead|rather),?\s+use\b`,
  },
  embedsAs: 'latin',
}
