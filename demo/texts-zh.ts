import { bytes } from './format.js'
import type { FirstTexts } from './texts-en.js'

const figures = new Intl.NumberFormat('zh-CN')
const number = (amount: number): string => figures.format(amount)
const tokens = (amount: number): string => `${number(amount)} 个 token`
const size = (amount: number): string => bytes(amount, some => `${number(some)} 字节`)

/** What the page says from the start, in Simplified Chinese. */
const texts: FirstTexts = {
  number,
  tokens,
  size,
  tagline: '本页里的一架智能体技能。说出需要，对的那一个就会排到最前。',
  nav: { label: '关于这架技能', tokens: 'Token', model: '给模型', tests: '测试', mine: '我的技能' },
  openLibrary: '打开技能库',
  otherLanguage: 'English',
  finder: '查找技能',
  question: '你需要什么？',
  placeholder: '用任何语言说都行',
  keys: { write: '输入', choose: '选择', open: '打开', close: '关闭' },
  examples: '示例',
  opening: '正在打开…',
  onShelf: amount => `架上有 ${number(amount)} 个技能`,
  notShown: amount => `还有 ${number(amount)} 个：说出需要即可找到。`,
  wouldOpen: name => ['智能体会打开 ', name, '。'],
  wouldChoose: (amount, name) => [`智能体会在 ${amount} 个里选，首选 `, name, '。'],
  noCommonWord: '没有技能含有这句话里的词：智能体不会打开任何技能。',
  belowThreshold: '都不够像：智能体不会打开任何技能。最接近的是：',
  answers: {
    words: '只按字词查找',
    bundled: '按字词和自带模型查找',
    model: name => ['按字词和 ', name, ' 查找'],
  },
  score: '得分',
  confidence: share => `把握 ${share}`,
  unlikely: '不够像',
  whenOpened: amount => `打开后 ${tokens(amount)}`,
  legend: {
    title: '这些数字的意思',
    score: '得分',
    scoreMeans:
      '第一个技能的得分，是这架技能能应对这句话的可能性；其余技能各占其中一份。竖线在 70%：低于它，智能体什么都不打开。',
    confidence: '把握',
    confidenceMeans: '正好是这个技能的可能性。彼此相似的技能会互相拉低。',
  },
  footer: {
    skills: amount => `${number(amount)} 个技能`,
    revision: revision => `版本 ${revision}`,
    fetched: amount => `已下载 ${size(amount)}`,
    private: '一切都留在本页',
    offline: '断网也能用',
  },
  missingPart: '页面缺了一部分，请重新加载。',
  drop: '松开即可在这里打开',
}

export default texts
