import { bytes } from './format.js'
import type { FirstTexts } from './texts-en.js'

const formatter = new Intl.NumberFormat('zh-CN')
const number = (value: number): string => formatter.format(value)
const tokens = (value: number): string => `${number(value)} 个 token`
const size = (value: number): string => bytes(value, small => `${number(small)} 字节`)

/** Simplified Chinese texts of the first screen. */
const texts: FirstTexts = {
  number,
  tokens,
  size,
  tagline: '在本页内搜索智能体技能。描述任务，看看智能体会加载哪个技能。',
  nav: { label: '关于此技能库', chat: '对话', tokens: 'Token', prompts: '提示词', tests: '测试', installed: '已安装' },
  openLibrary: '打开技能库',
  link: {
    copy: '复制链接',
    copied: '链接已复制，打开后会看到相同内容。',
    local: '链接已复制。文件夹在这台电脑上，打开时需要重新选择。',
    blocked: '浏览器禁止复制，请复制地址栏中的链接。',
  },
  otherLanguage: 'English',
  search: '查找技能',
  question: '你想做什么？',
  placeholder: '用任何语言描述',
  shortcuts: { search: '搜索', select: '选择', open: '打开', close: '关闭' },
  examples: '示例',
  loading: '正在加载技能…',
  skillCount: amount => `此技能库共有 ${number(amount)} 个技能`,
  notListed: amount => `还有 ${number(amount)} 个，可通过搜索查找。`,
  oneCandidate: name => ['智能体会加载 ', name, '。'],
  candidates: (amount, name) => [`智能体会从 ${amount} 个技能中选择，最匹配的是 `, name, '。'],
  noMatch: '没有匹配的技能，智能体不会加载任何技能。',
  belowThreshold: '没有技能的得分超过 70%，智能体不会加载任何技能。最接近的技能：',
  rankedBy: {
    keywords: '仅按关键词排序',
    bundled: '按关键词和内置模型排序',
    transformer: name => ['按关键词和 ', name, ' 排序'],
  },
  score: '得分',
  confidence: share => `置信度 ${share}`,
  unlikely: '低于阈值',
  whenLoaded: amount => `加载后 ${tokens(amount)}`,
  legend: {
    title: '得分说明',
    score: '得分',
    scoreMeaning:
      '库中有技能适合这条消息的概率。第一个技能取全部概率，其余技能各占一部分。智能体不会加载低于 70% 的技能。',
    confidence: '置信度',
    confidenceMeaning: '恰好是这个技能的概率。相似的技能会降低彼此的置信度。',
  },
  footer: {
    skills: amount => `${number(amount)} 个技能`,
    revision: revision => `版本 ${revision}`,
    downloaded: amount => `已下载 ${size(amount)}`,
    private: '消息不会离开本页',
    offline: '可离线使用',
  },
  links: { label: '项目', docs: '文档' },
  partFailed: '页面有一部分加载失败，请重新加载页面。',
  drop: '松开即可打开技能',
}

export default texts
