import { bytes, grouped as number } from './format.js'
import skills from './skill-texts-zh.js'
import type { FirstTexts } from './texts-en.js'

const tokens = (value: number): string => `${number(value)} 个 token`
const size = (value: number): string => bytes(value, small => `${number(small)} 字节`)

/** Simplified Chinese texts of the first screen. */
const texts: FirstTexts = {
  number,
  tokens,
  size,
  skills,
  title: 'skillshelf：为智能体找到合适的技能，浏览器和服务器都能用',
  // Lines break at the bars.
  sentence: '为智能体|找到合适的技能：|浏览器、服务器、|离线都能用。',
  tagline:
    '一个 TypeScript 库。|技能是带说明的文件夹。智能体把所有技能列在提示词里，技能一多就会截断；这个库找到合适的那一个。',
  copy: '复制',
  copyInstall: '复制安装命令',
  copied: '已复制',
  nav: {
    label: '关于此技能库',
    listing: '智能体所见',
    compare: '比较',
    chat: '对话',
    tokens: 'Token',
    prompts: '提示词',
    tests: '触发检查',
    installed: '已安装',
  },
  checks: {
    listing: ['智能体看不到什么？', '技能一多，智能体就会截断描述。看看你的技能还剩多少。'],
    compare: ['比现有的办法更好吗？', '用你的消息与全文搜索、列出全部、写入全部相比。'],
    tests: ['哪些技能从不触发？', '用技能自己的消息在本页排序，并指出缺少的词。'],
  },
  openLibrary: '打开技能库',
  repositories: '或者在本页搜索真实的仓库：',
  copyLink: '复制链接',
  otherLanguage: 'English',
  search: '查找技能',
  question: '试一试：想让智能体做什么？',
  placeholder: '描述你的需求',
  shortcuts: { search: '搜索', select: '选择', open: '打开', close: '关闭' },
  examples: '示例',
  loading: '正在加载技能…',
  skillCount: amount => `此技能库共有 ${number(amount)} 个技能`,
  notListed: amount => `还有 ${number(amount)} 个，可通过搜索查找。`,
  oneCandidate: name => ['智能体会加载 ', name],
  unsure: '不确定是哪一个',
  closest: (name, score) => ['最接近：', name, `，${score}`],
  hardly: '多半没有合适的技能',
  nothing: '没有合适的技能',
  noMatch: '没有技能与这条消息有共同的词或意思，智能体不会加载任何技能。',
  acts: library => `超过 70%，可以直接加载。${library}`,
  choose: library => `智能体会询问，或从这些技能中选择。${library}`,
  notAlone: library => `还不足以单独加载它。${library}`,
  far: (name, score) => `最接近的是 ${name}（${score}），智能体不会加载任何技能。`,
  none: library => `最接近的在下面，智能体不会加载任何技能。${library}`,
  served: [
    '库里几乎肯定有合适的技能。',
    '库里很可能有合适的技能。',
    '库里也许有合适的技能。',
    '库里多半没有合适的技能。',
    '库里没有合适的技能。',
  ],
  costs: {
    title: '上下文中的 token，含打开的技能',
    listed: '列出所有名称和描述，像智能体那样',
    skillshelf: 'skillshelf',
    inlined: '写入所有技能',
  },
  answered: (found, all, milliseconds) =>
    `${number(all)} 个技能中选出 ${number(found)} 个，${milliseconds} 毫秒，没有发送任何数据`,
  compareLink: '与其他方法比较',
  why: {
    said: (words, alsoIn, purpose) =>
      `你说到${words.map(word => `“${word}”`).join('、')}${alsoIn}；${purpose}。`,
    alsoIn: { message: '，它的一个示例也说到', body: '，它的说明也说到' },
    purpose: text => `这个技能的用途是：${text}`,
    like: message => `你的消息像它的一个示例：“${message}”。`,
    meaning: purpose => `没有相同的词，但意思最接近；${purpose}。`,
  },
  demonstration: { label: '输入你自己的消息，或', pause: '暂停', go: '继续' },
  groups: {
    write: '写作与演示',
    data: '数据与文档',
    code: '代码与运维',
    think: '研究与决策',
    live: '日常生活',
    other: '其他',
  },
  rankedBy: {
    keywords: '仅按关键词排序',
    bundled: '按关键词和内置模型排序',
    transformer: name => ['按关键词和 ', name, ' 排序'],
  },
  score: '得分',
  legend: {
    title: '得分说明',
    meaning:
      '得分是这个技能正是消息所需的概率。相似的技能分享这一概率。智能体不会加载低于 70% 的技能。',
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
