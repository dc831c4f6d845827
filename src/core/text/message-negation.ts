/** Where a clause starts; and a clause up to its end, or to a word that turns to what is wanted. Bounded, so that the time is linear. */
const START = String.raw`(?<=^|[.,;:!?()\n—–]\s{0,2}|\b(?:please|but|and|so|just|bitte|aber|und|por favor|pero|mas|mais|et|но|пожалуйста|а)\s{1,2})`
const REST = String.raw`[^.,;:!?()\n—–]{0,120}?(?=[.,;:!?()\n—–]|$|\s(?:but|just|only|instead|sondern|nur|sino|solo|mais|seulement|mas|apenas|лишь|только)\s)`

/** How users rule something out, by language: in a clause of its own, or by naming the thing that is taken instead. */
const SPACED = [
  // An order, not a fact: "don't make slides", but not "I don't know", "don't forget", "why don't you".
  String.raw`${START}(?:do\s+not|don['’]?t|never|no\s+need\s+(?:to|for)|i\s+(?:do\s+not|don['’]?t)\s+(?:want|need))\s{1,2}(?!know|understand|have|see|get|remember|think|care|like|feel|forget|worry|hesitate|let|break|lose|you\b|we\b|i\b|they\b|any(?:one|body)\b|people\b|others\b)${REST}`,
  String.raw`${START}not\s+(?:an?|any|the|as|with|by|another)\s+${REST}`,
  String.raw`${START}no\s+\S+(?:\s+\S+)?\s+please\b`,
  String.raw`\b(?:instead\s+of|rather\s+than)\s+${REST}`,
  String.raw`${START}(?:no\s+(?:me\s+)?(?:hagas|hag[aá]is|crees|uses|quiero|necesito|prepares|escribas|conviertas)|sin\s+hacer)\s+${REST}`,
  String.raw`\ben\s+(?:vez|lugar)\s+de\s+${REST}`,
  String.raw`${START}(?:(?:ich\s+(?:will|m[oö]chte|brauche)\s+|mach(?:e|t|en)?\s+(?:mir\s+)?(?:bitte\s+)?)?kein(?:e|en|er|es)?)\s{1,2}(?!ahnung|problem|idee|plan|zeit)${REST}`,
  String.raw`\b(?:statt|anstatt|anstelle)\s+${REST}`,
  String.raw`${START}(?:(?:je\s+)?(?:ne\s+|n['’])\s*(?:veux|fais|faites|cr[eé]e|cr[eé]ez|utilise|utilisez|voudrais|pr[eé]pare|pr[eé]parez)\s+(?:surtout\s+)?pas|(?:surtout\s+)?pas\s+(?:de|d['’]|une?|la|le|les))\s*${REST}`,
  String.raw`\b(?:au\s+lieu|plut[oô]t\s+que)\s+(?:de\s+|d['’])?${REST}`,
  String.raw`${START}(?:eu\s+)?n[aã]o\s+(?:me\s+)?(?:fa[cç]a|fa[cç]as|crie|use|usa|quero|preciso\s+de|prepare|escreva|gere)\s+${REST}`,
  String.raw`\b(?:em\s+vez|ao\s+inv[eé]s)\s+d(?:e|o|a|os|as)\s+${REST}`,
  String.raw`${START}(?:я\s+)?не\s+(?:делай|делайте|надо|нужно|нужна|нужен|нужны|хочу|создавай|создавайте|используй|используйте|пиши|пишите)\s+${REST}`,
  String.raw`(?<=^|[\s,])вместо\s+${REST}`,
]

const HAN_END = String.raw`(?=[\s。，、；：！？,.;:!?\n]|只|就|而是|改|换|$)`
const UNSPACED = [
  String.raw`(?<!要|需|想|能|可)(?:请?不要|不想要?|不用|不需要|不必|无需|無需|别(?!的|人|名|称|墅|致|扭)(?<![特区分级类个性识判鉴差辨]别)|別(?!的|人|名|稱)(?<![特區分級類個性識判鑑差辨]別)|请勿|請勿|而不是)(?!紧|緊|忘|担心|擔心|客气|客氣)[^。，；：！？,;:!?\n]{0,40}?${HAN_END}`,
  String.raw`[^\s。、！？,.!?\n]{0,40}(?:(?:作ら|使わ|し|やら|書か|出さ|送ら)ないで(?:ください|下さい|ね)?|じゃなくて|ではなくて?|の代わりに|は(?:不要|いらない|要らない|いりません|必要ない|必要ありません)(?:です)?)`,
  String.raw`[^.!?,\n]{0,60}(?:지\s?마(?:세요|십시오|요|라|시고)?|말고|필요\s?없(?:어요?|습니다|고)|대신(?:에)?)(?=[\s.,!?]|$)`,
]

/** Every pattern needs one of these. Compiling the patterns takes ten milliseconds, which a message without them does not pay. */
const CUE =
  /\bnot?\b|n['’]|dont|never|instead|rather|\bsin\s|\bvez\b|lugar|kein|statt|anstelle|ne\s|pas\s|lieu|plut|n[aã]o|inv[eé]s|не|вместо/iu
const CUE_UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

const RULED_OUT = new RegExp(SPACED.join('|'), 'giu')
const RULED_OUT_UNSPACED = new RegExp(UNSPACED.join('|'), 'gu')

/**
 * Removes what a message rules out, so that it does not count for a skill: "do not make slides, tell me a story" asks for no slides.
 * It knows orders and "instead of" in nine languages; a fact such as "it does not open" stays.
 */
export function removeRuledOut(message: string): string {
  const spaced = CUE.test(message) ? message.replace(RULED_OUT, ' ') : message
  return CUE_UNSPACED.test(spaced) ? spaced.replace(RULED_OUT_UNSPACED, ' ') : spaced
}
