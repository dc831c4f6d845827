import { analyze, SEQUENCE } from '../../src/core/text/analyze.js'

/** English words that say nothing of a subject, and the halves of "don't" and its like. */
const FUNCTION_WORDS = new Set(
  `a an the this that these those such same other another each every either neither both all any some no none more most
  much many few less least lot lots enough several one ones
  i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its
  itself they them their theirs themselves who whom whose what which where when why how there here something anything
  nothing everything someone anyone nobody everyone somebody anybody everybody whatever whenever wherever whoever
  of in on at by for with without within from to into onto out off up down over under above below about across after
  before between among around against along through during until till since toward towards upon via per like as than
  and or but nor so if then else because while though although unless whether yet not only just also too very even
  still already again once ever never always often now really quite rather almost maybe perhaps instead however
  be am is are was were been being do does did done doing have has had having can could will would shall should may
  might must ought cannot don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn ain let lets
  s t m re ve ll d im ive id dont cant thats whats isnt doesnt didnt wont e g etc ie eg vs
  yes ok okay oh hey hi hello please pls plz thanks thank want wants wanted wanna need needs needed get gets got getting
  gotten use uses used using`.split(/\s+/),
)

/** Forms that no ending explains: the words between two bars are one word. */
const IRREGULAR = new Map(
  `bring brought|build built|buy bought|choose chose chosen|come came|catch caught|draw drew drawn|drive drove driven
  |fall fell fallen|feel felt|find found|fly flew flown|forget forgot forgotten|give gave given|go went gone goes going
  |grow grew grown|hide hid hidden|hold held|keep kept|know knew known|leave left|lose lost|make made|man men
  |mean meant|meet met|pay paid|person people|rise rose risen|run ran|say said|see saw seen|sell sold|send sent
  |shoot shot|show shown|sing sang sung|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen
  |stick stuck|swim swam swum|take took taken|teach taught|tell told|think thought|throw threw thrown
  |understand understood|wear wore worn|win won|woman women|write wrote written|child children|bad worse worst
  |good better best|foot feet|tooth teeth|mouse mice|begin began begun|break broke broken|eat ate eaten
  |analysis analyses analyze|life lives|half halves|shelf shelves|index indices`
    .split('|')
    .flatMap(line => {
      const forms = line.trim().split(/\s+/)
      return forms.map((form): [string, string] => [form, forms[0] ?? form])
    }),
)

const ENDINGS =
  /(?:ations?|itions?|ions?|ments?|ness|ities|ity|abl[ey]|ibl[ey]|ically|ical|ics?|ful|less|ings?|ers?|ors?|ives?|ies|ied|es|ed|ly|al|s|e|y|i)$/

/** Characters of Chinese function words: two of them side by side say nothing of a subject. */
const FUNCTION_CHARACTERS = new Set(
  '的地得了着过吗呢吧啊呀嘛哦啦么之其此该这那哪谁什怎样为我你您他她它们咱个些下一不没无别未是有在和与跟同及或而但且却又再还也都就才只很太更最挺好真会能可以要想让给把被将对向从到由于用请帮来去上里中后前时因所如若则即等呗啥咋',
)
const FUNCTION_PAIRS = new Set(
  '自己 需要 现在 时候 如何 知道 觉得 今天 明天 昨天 看看 使用 进行 以及 并且 或者 通过 比如 比较 一点 有点 每个'.split(
    ' ',
  ),
)

const IDEOGRAPH = /\p{Script=Han}/u

/** The content words of `message` that stand in `text` too, in any inflection; of Chinese, runs of two characters. */
export function sharedContentWords(message: string, text: string): string[] {
  const theirs = [...contentWords(text)]
  return [...contentWords(message)].filter(word => theirs.some(other => areForms(word, other)))
}

/** Words as the analyzer splits them, the parts of camelCase and hyphenated ones too, and runs of two ideographs. */
function contentWords(text: string): Set<string> {
  const words = new Set<string>()
  analyze(text, (one, kind) => {
    if (!IDEOGRAPH.test(one)) {
      if (!FUNCTION_WORDS.has(one)) words.add(one)
    } else if (!(kind & SEQUENCE) && [...one].length === 2 && !isFunctionPair(one)) words.add(one)
  })
  return words
}

function isFunctionPair(pair: string): boolean {
  return (
    FUNCTION_PAIRS.has(pair) || [...pair].every(character => FUNCTION_CHARACTERS.has(character))
  )
}

/** Whether two words are one in two forms: they have one stem, or a long stem begins the other. */
function areForms(one: string, other: string): boolean {
  if (one === other) return true
  const stem = stemOf(one)
  const otherStem = stemOf(other)
  return stem === otherStem || begins(stem, otherStem) || begins(otherStem, stem)
}

function begins(stem: string, other: string): boolean {
  return stem.length >= 5 && other.startsWith(stem)
}

/** A word without its endings, and without the doubling before them. */
function stemOf(word: string): string {
  let stem = IRREGULAR.get(word) ?? word
  for (;;) {
    const shorter = stem.replace(ENDINGS, '').replace(/([^aeiou])\1$/, '$1')
    if (shorter === stem || shorter.length < 3) return stem
    stem = shorter
  }
}
