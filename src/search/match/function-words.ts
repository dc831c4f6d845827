import { lazy } from '../../core/concurrency.js'
import { sequenceOf } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'

/**
 * Function words and polite phrases of each language, in lower case, Latin letters without accents.
 * Left out: words that name something in another language or in computing, such as `ai` (fr), `hat` or `war` (de).
 */
const WORDS = {
  en: 'a an the this that these those some any all i me my we us our you your he him his she her it its they them their who which what when where why how and or but not no yes if than as at by for from in into of off on out over to up with without about is am are was were be been do does did done have has had can could will would shall should may might must don doesn didn isn aren won wouldn t s m re ve ll d there here just also please tell thanks hello hi hey ok need want let',
  es: 'el la los las lo un una unos unas de del al a y e o que quien cual cuales como cuando donde cuanto porque por para con sin en entre sobre si no pero mas muy me mi mis te tu tus se su sus le les nos nuestro nuestra yo este esta esto estos estas ese esa eso es son ser estar estoy hay he ha tengo puedo puedes puede quiero necesito favor gracias hola',
  de: 'der die das den dem des ein eine einen einem einer eines kein keine und oder aber dass ob wenn als wie was wer wo wann warum welche ich mich mir mein meine meinen meiner du dir dein deine er sie es wir uns unser unsere ihr ihre ihren sich in im an am auf aus bei beim durch fur mit nach ohne um uber unter von vom vor zu zum zur ist sind sein wird werden haben habe hast kann kannst konnen konntest muss soll will mochte nicht nur auch hier diese dieses diesen bitte danke hallo',
  fr: 'le la les l un une des du de d au aux et ou ni mais donc car que qu qui quoi quel quelle quels quelles comment quand pourquoi je j me m moi mon ma mes tu te t ton ta tes il elle on se s sa ses nous notre nos vous votre vos ils leur leurs y en ce cet cette ces ca est suis sont ont a dans sur avec sans pour par si ne n pas puis peux peut pouvez veux voudrais dois faut besoin plait merci bonjour',
  pt: 'o a as um uma uns umas de do da dos das no na nos nas ao aos em num numa por pelo pela para pra com sem sobre e ou mas que quem qual quais como quando onde quanto porque se nao sim me eu meu minha meus minhas te seu sua seus suas voce ele ela este esta isto esse essa isso sao ser estar estou tem tenho ter ha posso pode quero preciso favor ola',
  ru: 'и в во на с со к о об от до по за из у для без под при про как что чтобы кто где когда почему зачем какой какая какое какие сколько я меня мне мной мой моя мое мои мою моего ты тебя он она оно его ее ему им их мы нас нам вы вас вам наш свой это этот эта эти этого этой так не нет ни да или а но же ли бы если есть быть можно нужно надо хочу могу можешь можете пожалуйста спасибо привет',
} as const

/** Languages that separate words by spaces. */
export type SpacedLanguage = keyof typeof WORDS

/** Chinese and Japanese: a run of characters is functional if these cover it. */
const RUNS =
  '的 了 着 吗 嘛 呢 吧 啊 呀 来 去 什么时候 时候 哪里 哪儿 知道 告诉 一个 一份 一张 一次 一种 一本 一件 一条 一位 一封 一篇 一段 一首 一套 两个 几个 这个 这份 这张 这段 这篇 这封 这条 那个 那份 我 你 您 他 她 它 们 这 那 哪 个 些 里 什么 怎么 怎样 怎么样 怎么办 如何 为什么 为何 谁 多少 几 是 不 没 有 在 和 与 或 或者 还 也 都 就 才 又 再 要 想 能 会 可以 可能 得 该 应该 需要 请 请问 帮 帮忙 给 让 把 被 从 到 对 为 于 以 因为 所以 但是 如果 一 一下 一些 一点 很 太 做 弄 用 麻烦 谢谢 你好 您好 ' +
  'この その あの これ それ あれ ここ そこ あそこ どこ どう どの どれ どちら どうやって どうすれば いつ なぜ なに なん なんで だれ 何 誰 私 わたし 僕 の は が を に へ と で も や か ね よ な ん から まで より など です でした ます ました ません ましょう だ だった である では じゃ する して した したい します すれば しよう される ください 下さい くれ くれる くれます もらう もらえる もらえます ほしい 欲しい お願い お願いします おねがいします 教えて いい よい ない なく ある あり あります いる います できる できます できますか こと もの ため ように ような という って て た れば たら なら そして また まだ もう ちょっと すみません ありがとう こんにちは'
/** Korean: a word, with or without a particle. */
const KOREAN =
  '이 그 저 이거 그거 저거 이것 그것 저것 이게 그게 이걸 그걸 여기 거기 저기 어떻게 어떤 어느 어디 언제 누구 누가 뭐 뭘 무엇 무슨 왜 몇 얼마나 나 내 내가 나는 제 제가 저는 우리 너 네 당신 것 거 수 때 때문 위해 대해 좀 더 잘 안 못 그리고 그러나 하지만 또는 해 해요 해줘 해줘요 해주세요 해줄래 해줄 해야 하고 하는 하기 하려면 하나요 하면 하죠 할 할까 할까요 한 합니다 하세요 해도 되나요 되나 돼 돼요 됩니까 있어 있어요 있나요 있는 있을까 있을까요 없어 없어요 싶어 싶어요 싶습니다 싶은 주세요 줘 줘요 주실 필요해 필요해요 부탁 부탁해 부탁해요 부탁합니다 부탁드립니다 인가요 입니다 이에요 예요 감사합니다 고마워 안녕 안녕하세요'
const PARTICLES = '은 는 이 가 을 를 에 에서 에게 의 도 만 와 과 로 으로 까지 부터 요'

const spaced = Object.entries(WORDS).map(
  ([language, words]) => [language as SpacedLanguage, new Set(words.split(' '))] as const,
)
const koreanParticles = ['', ...PARTICLES.split(' ')]
/** Made by the first message that needs them, because that takes as long as a match. */
const loadRuns = lazy(() => {
  const runs = new Set([
    ...RUNS.split(' ').map(run => sequenceOf(run).join('')),
    ...KOREAN.split(' ').flatMap(word => koreanParticles.map(particle => word + particle)),
  ])
  return { runs, longest: Math.max(...[...runs].map(run => run.length)) }
})

/** True if a text consists of function words. @param sequence Its words and single characters, in order. */
export function isFunctional(sequence: readonly string[]): boolean {
  let run = ''
  for (const token of sequence) {
    if (!isSpaced(token)) {
      run += token
      continue
    }
    if (!spaced.some(([, words]) => words.has(token)) || !isCovered(run)) return false
    run = ''
  }
  return isCovered(run)
}

function isCovered(run: string): boolean {
  if (run === '') return true
  const { runs, longest } = loadRuns()
  const reached = [true]
  for (let start = 0; start < run.length; start++) {
    if (!reached[start]) continue
    const last = Math.min(run.length, start + longest)
    for (let end = start + 1; end <= last; end++) {
      if (runs.has(run.slice(start, end))) reached[end] = true
    }
    if (reached.length <= start + 1) return false
  }
  return reached[run.length] === true
}

/** The languages whose function words occur most often in a message. Empty if it has none. */
export function languagesOf(sequence: readonly string[]): readonly SpacedLanguage[] {
  const counts = spaced.map(([, words]) => sequence.filter(token => words.has(token)).length)
  const most = Math.max(...counts)
  return most === 0 ? [] : spaced.filter((_, index) => counts[index] === most).map(([language]) => language)
}
