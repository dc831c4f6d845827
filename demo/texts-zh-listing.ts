import type { MoreTexts } from './texts-en-more.js'
import texts from './texts-zh.js'

const { number } = texts

/** Simplified Chinese texts of what agents list of skills. */
const listing: MoreTexts['listing'] = {
  title: '智能体看不到什么？',
  lead: '编程智能体把所有技能的描述列在提示词里，技能一多就会截断。下面是这个技能库的描述剩下的部分。一切都在本页内完成。',
  add: '检查自己的技能',
  agent: '智能体',
  share: (title, percent) => `${title}，上下文的 ${percent}%`,
  context: '上下文',
  tokens: amount => `${amount / 10_000} 万`,
  figure: (unseen, total) =>
    unseen === 0
      ? `${number(total)} 条描述全部完整`
      : `${number(total)} 条描述中有 ${number(unseen)} 个被截断`,
  counts: (characters, { whole, cut, named, unlisted }) =>
    `列表共 ${number(characters)} 个字符：${number(whole)} 个完整，${number(cut)} 个部分，${number(named)} 个只有名称，${number(unlisted)} 个未列出。`,
  shelf: '每本书是一个技能，高度是描述的长度，浅色部分被截断。',
  note: '根据各智能体的文档估算。各家截断的方式不同，有的会保留最近用过的技能。',
  hidden: amount => `另有 ${number(amount)} 个只供人使用的技能不会被列出，未计入。`,
  message: {
    label: '合适的技能在列表里吗？输入一条消息',
    placeholder: '描述你的需求',
    skill: '合适的技能是',
    rank: (rank, score, opens) =>
      rank === 1
        ? `skillshelf 把它排在第一，${score}${opens ? '：智能体会加载它。' : '，还不足以直接加载。'}`
        : `skillshelf 把它排在第 ${number(rank)}。`,
    none: '没有技能与这条消息有共同的词或意思。',
    whole: agent => `${agent} 列出了完整的描述。`,
    cut: (agent, shown, all) =>
      `${agent} 只列出描述的 ${number(all)} 个字符中的 ${number(shown)} 个。`,
    named: agent => `${agent} 只列出了名称。`,
    unlisted: agent => `${agent} 没有列出它。`,
    words: words => `消息中的${words.map(word => `“${word}”`).join('、')}被截掉了。`,
  },
  states: {
    whole: '完整',
    cut: (shown, all) => `${number(all)} 个字符中的 ${number(shown)} 个`,
    named: '只有名称',
    unlisted: '未列出',
  },
  unseen: '被截断的技能',
  wholeSkills: amount => `${number(amount)} 个技能完整列出`,
  more: amount => `再显示 ${number(amount)} 个`,
  actions: '可以怎么做',
  shorten: '缩短描述',
  shortening: (done, total) => `正在尝试 ${number(done)} / ${number(total)}…`,
  reading: '正在读取技能…',
  shortened: (amount, before, after) =>
    amount === 0
      ? '没有描述可以只留第一句，而不失去能找到该技能的消息。'
      : `${number(amount)} 个技能只用描述的第一句也同样能找到：原来能找到它的每句话和每条消息都试过。这样有 ${number(after)} 个技能完整列出，而不是 ${number(before)} 个。`,
  patch: '改动',
  patchMeaning: '可用 git apply 应用的补丁。',
  cutPatch: '复制的内容是完整的。',
  failed: '无法读取技能。',
  hook: '安装钩子',
  hookMeaning: '它随每条提示词把合适的技能交给智能体，不再依赖列表。',
  hookCommands: '命令',
  picture: '保存为图片',
  pictureTitle: (unseen, total) =>
    unseen === 0
      ? `我们的 ${number(total)} 个技能全部完整`
      : `我们的 ${number(total)} 个技能中有 ${number(unseen)} 个被截断`,
  pictureAgent: (agent, context, characters) =>
    `${agent} 的上下文为 ${context} token 时，只列出 ${number(characters)} 个字符。`,
  link: '复制此页链接',
  linkCopied: '链接已复制，打开即可看到此技能库。',
}

export default listing
