import { sequenceOf } from '../../core/text/analyze.js'

/** Words by which a message leans on the ones before it: pronouns, additions, confirmations. Latin letters without accents. */
const LEANING = new Set(
  [
    'it its that this these those them they same again also too more another other else instead now then one ones both yes yeah ok okay sure please go on continue next previous shorter longer',
    'eso esto esos estos ese esa aquello tambien otra otro otros otras mismo misma ahora entonces mas si vale continua',
    'auch das dies diese dieses diesen es sie ihn noch mal nochmal nochmals dasselbe gleiche jetzt dann stattdessen anders ja weiter',
    'aussi ca cela ce cette ces encore meme autre autres maintenant puis plutot plus oui continue',
    'tambem isso isto esse essa esses essas este esta outro outra mesmo mesma agora entao mais sim continue',
    'это этот эту эти то тот ту его ее их еще также тоже снова опять теперь потом другой другую да дальше',
  ].flatMap(words => words.split(' ')),
)
/** Conjunctions lean if they begin a message: inside it, they join two things. */
const BEGINNINGS = new Set('and or y e und et и а'.split(' '))
const LEANING_RUNS =
  /它|这|那|也|再|还|又|继续|另外|同样|一样|刚才|上面|换成|改成|改为|接着|然后|好的|可以|それ|これ|あれ|その|この|あの|また|もう|同じ|さっき|続け|次|はい|그거|그걸|그건|이거|이걸|이건|그것|이것|다시|또|계속|같은|방금|그리고|응|네|-l(?:e|a|es)(?!\p{L})/u
/** A greeting or thanks, which asks for nothing. */
const TALK =
  /(?<!\p{L})(?:hello|hi|hey|thanks|thank you|good (?:morning|evening|night)|how are you|bye|goodbye|hola|gracias|adi[oó]s|hallo|danke|tsch[uü]ss|bonjour|salut|merci|ol[aá]|oi|obrigad[oa]|tchau|привет|здравствуйте|спасибо|пока)(?!\p{L})|你好|您好|谢谢|謝謝|再见|こんにちは|ありがとう|안녕|감사|고마워/iu
/** Own terms of a message that still leans. */
const MAX_OWN_TERMS = 6

/**
 * True if a message needs the ones before it: "yes, do that", "and as PDF?", but not "hello" or "what is 17 times 23?".
 * @param sequence Words and single characters of the message, in order.
 * @param ownTerms Number of its terms that are no function words.
 */
export function isFollowUp(message: string, sequence: readonly string[], ownTerms: number): boolean {
  if (ownTerms > MAX_OWN_TERMS) return false
  return ownTerms === 0 ? !TALK.test(message) : leans(message, sequence)
}

/** True if a message refers to the one before it by a word such as "yes" or "that", and is no greeting. */
export function refersBack(message: string): boolean {
  return !TALK.test(message) && leans(message, sequenceOf(message))
}

function leans(message: string, sequence: readonly string[]): boolean {
  return (
    sequence.some((word, at) => LEANING.has(word) || (at === 0 && BEGINNINGS.has(word))) || LEANING_RUNS.test(message)
  )
}
