import type { IndexingData, UnspacedMatchingData } from './language.js'

/** The end of a clause, or a word that turns to what is wanted. Spaces also stand around Latin letters, where they end nothing. */
const END = String.raw`(?=[。，、；：！？,.;:!?\n]|\s(?![A-Za-z]|技能)|只|就|而是|改|换|$)`
/** The name of a skill, where a word is as often that of something else: with a hyphen, or with the word for a skill. */
const SKILL = String.raw`\s?(?:[A-Za-z]\w*(?:-\w+)+(?:\s?技能)?|[^，。；：！？,;:!?\s]{1,20}\s?技能)`

/** Chinese. */
export const matching: UnspacedMatchingData = {
  functionWords:
    '的 了 着 吗 嘛 呢 吧 啊 呀 来 去 什么时候 时候 哪里 哪儿 知道 告诉 一个 一份 一张 一次 一种 一本 一件 一条 一位 一封 一篇 一段 一首 一套 两个 几个 这个 这份 这张 这段 这篇 这封 这条 那个 那份 我 你 您 他 她 它 们 这 那 哪 个 些 里 什么 怎么 怎样 怎么样 怎么办 如何 为什么 为何 谁 多少 几 是 不 没 有 在 和 与 或 或者 还 也 都 就 才 又 再 要 想 能 会 可以 可能 得 该 应该 需要 请 请问 帮 帮忙 给 让 把 被 从 到 对 为 于 以 因为 所以 但是 如果 一 一下 一些 一点 很 太 做 弄 用 麻烦 谢谢 你好 您好',
  leaning: '它|这|那|也|再|还|又|继续|另外|同样|一样|刚才|上面|换成|改成|改为|接着|然后|好的|可以',
  greetings: '你好|您好|谢谢|謝謝|再见',
  ruledOut: {
    patterns: [
      String.raw`(?<!要|需|想|能|可)(?:请?不要|不想要?|不用|不需要|不必|无需|無需|别(?!的|人|名|称|墅|致|扭)(?<![特区分级类个性识判鉴差辨]别)|別(?!的|人|名|稱)(?<![特區分級類個性識判鑑差辨]別)|请勿|請勿|而不是)(?!紧|緊|忘|担心|擔心|客气|客氣)[^。，；：！？,;:!?\n]{0,40}?${END}`,
      // Around the name of a skill: "跳过 invoice-check", "除了 invoice-check 都行", "不带发票技能".
      String.raw`(?:跳过|跳過|略过|略過)[^。，；：！？,;:!?\n]{1,40}?${END}`,
      String.raw`(?:除了|除)[^。，；：！？,;:!?\n]{1,30}?(?:以外|之外|外)?(?:都|什么都|其他|其它)`,
      String.raw`(?:不带|不帶|不通过|不通過)[^。，；：！？,;:!?\n]{1,30}?技能`,
      `(?:不使用|不借助|不通过|不通過|不调用|不調用|忽略|排除|禁用|停用|代替|取代)${SKILL}`,
      String.raw`不是${SKILL}(?=[，,\s]*而?是)`,
      String.raw`除了?${SKILL}\s?(?:以外|之外|外)(?![^。，]{0,10}[还還也])`,
      String.raw`(?:没有|沒有)${SKILL}\s?的?(?:情况|情況)下`,
    ],
    negatedTwice: [
      '(?:不要|不能|不可以?|不得|不应该?|不許|不许|不准|请勿|別|别)再?(?:跳过|跳過|略过|略過|忽略|排除|禁用|停用)',
      String.raw`除了?[^。，；：！？,;:!?\n]{1,30}?(?:以外|之外|外)?[，,\s]{0,2}(?:什么都|什麼都|一律|都)?(?:不|别|別)`,
      String.raw`(?:不用|没有|沒有)${SKILL}\s?(?:不行|不可)`,
    ],
  },
}

export const indexing: IndexingData = {
  negation: {
    patterns: [
      '(?:不要|请勿|請勿|切勿|不应|不應|不得|不能|不可|勿|不|非)(?:用于|用於|用来|用來|用作|适用|適用|适合|適合|使用|触发|觸發|调用|調用|激活|负责|負責|处理|處理|涉及|包括|包含)',
    ],
    notNegated: '要不要|能不能|可不可以|该不该|該不該|会不会|會不會|不得不',
    redirects: '请改用|請改用|改用|应使用|應使用',
  },
  embedsAs: 'han',
}
