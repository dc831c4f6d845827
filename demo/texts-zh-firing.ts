import type { MoreTexts } from './texts-en-more.js'
import texts from './texts-zh.js'

const { number } = texts

/** Simplified Chinese texts of which skills fire. */
const firing: MoreTexts['firing'] = {
  title: '哪些技能从不触发？',
  lead: '每个技能的消息都在本页内排序：触发测试、“何时使用”中的说法，以及您添加的消息。排在第一且得分高于 70%，技能才会触发。',
  run: '给消息排序',
  results: '技能及其消息',
  figure: (firing, total) => `${number(total)} 个技能中有 ${number(firing)} 个会触发`,
  counts: (unsure, never, messages) =>
    `${number(unsure)} 个不确定，${number(never)} 个从未排在第一，共 ${number(messages)} 条消息。`,
  messages: (fires, total) => `${number(total)} 条中 ${number(fires)} 条触发`,
  states: { fires: '会触发', unsure: '不确定', never: '从未第一' },
  outcomes: {
    fires: score => `触发，${score}`,
    unsure: score => `第一但不确定，${score}`,
    taken: (name, score) => `被 ${name} 抢走，${score}`,
    nothing: '没有合适的技能',
  },
  missing: words => `此技能缺少：${words.map(word => `“${word}”`).join('、')}`,
  from: { test: '触发测试', phrase: '来自“何时使用”', description: '来自描述', typed: '您的消息' },
  add: '添加一条应由此技能处理的消息',
  addButton: '添加',
  description: '试试别的描述',
  trying: '正在排序…',
  changed: (before, after, total) =>
    `${number(total)} 条中 ${number(after)} 条触发，原来是 ${number(before)} 条。`,
  others: (gained, lost) =>
    gained + lost === 0
      ? '其他技能的消息没有变化。'
      : `其他技能多触发 ${number(gained)} 条，少触发 ${number(lost)} 条。`,
  copySkill: name => `${name} 的 SKILL.md`,
  badge: 'README 徽章',
  table: 'README 表格',
  columns: { skill: '技能', messages: '消息', fires: '触发', unsure: '不确定', taken: '非第一' },
  badgeLabel: 'skills that fire',
}

export default firing
