import type { IndexingData, UnspacedMatchingData } from './language.js'

/** A name in Latin letters before a particle, or with the word for a skill. */
const NAME = String.raw`(?:[A-Za-z][\w-]*\s?(?:スキル)?|[^\s。、！？,.!?\n]{1,20}スキル)\s?`
/** The name of a skill, where a word is as often that of something else: with a hyphen, or with the word for a skill. */
const SKILL = String.raw`(?:[A-Za-z]\w*(?:-\w+)+\s?(?:スキル)?|[^\s。、！？,.!?\n]{1,20}スキル)\s?`
/** A clause up to a negation. */
const CLAUSE = String.raw`(?:[A-Za-z][\w-]*\s(?=[をはもがので]|じゃ|スキル))?[^\s。、！？,.!?\n]{0,40}?`

/** Japanese. */
export const matching: UnspacedMatchingData = {
  functionWords:
    'この その あの これ それ あれ ここ そこ あそこ どこ どう どの どれ どちら どうやって どうすれば いつ なぜ なに なん なんで だれ 何 誰 私 わたし 僕 の は が を に へ と で も や か ね よ な ん から まで より など です でした ます ました ません ましょう だ だった である では じゃ する して した したい します すれば しよう される ください 下さい くれ くれる くれます もらう もらえる もらえます ほしい 欲しい お願い お願いします おねがいします 教えて いい よい ない なく ある あり あります いる います できる できます できますか こと もの ため ように ような という って て た れば たら なら そして また まだ もう ちょっと すみません ありがとう こんにちは',
  leaning: 'それ|これ|あれ|その|この|あの|また|もう|同じ|さっき|続け|次|はい',
  greetings: 'こんにちは|ありがとう',
  ruledOut: {
    patterns: [
      `${CLAUSE}(?:(?:作ら|使わ|し|やら|書か|出さ|送ら)ないで(?:ください|下さい|ね)?|じゃなくて|ではなくて?|の代わりに|は(?:不要|いらない|要らない|いりません|必要ない|必要ありません)(?:です)?)`,
      // Around the name of a skill: "invoice-check 以外で", "invoice-check をスキップ", "請求書スキルなしで".
      `${NAME}(?:以外|なしで|抜きで|を?スキップ(?:して)?|を飛ばして|[をは]使わずに?|を除いて)`,
      `${SKILL}(?:無しで|[をは](?:除外し|無視し|避け|やめ)て|[をは]使わない)`,
    ],
    negatedTwice: [
      `${CLAUSE}(?:スキップし|飛ばさ|無視し|除外し|忘れ)な`,
      `${NAME}以外(?!で)[^。、！？!?\n]{0,12}(?:ない|なく|ず)`,
      `${NAME}(?:なし|抜き|無し)で(?:は|も)[^。、！？!?\n]{0,10}ない`,
    ],
  },
}

export const indexing: IndexingData = {
  negation: {
    patterns: ['次の(?:場合|用途)(?:に)?は(?:使用|利用)しない'],
    finalPatterns: [
      '(?:使用|利用|適用|起動|発動)しない|使わない|対象外|ではありません|(?:向け|用)ではない|には(?:不向き|使えません)',
    ],
  },
  embedsAs: 'kana',
}
