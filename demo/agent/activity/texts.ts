import type { Language } from 'skillshelf'
import type { SessionActivity } from 'skillshelf/session'
import type { Way } from '../../cost-bars.js'
import { percent } from '../../format.js'

/** Texts of `<skill-activity>`. */
export interface SkillActivityTexts {
  /** Accessible name of the panel. */
  label: string
  /** Nothing was done yet. */
  empty: string
  turn: (number: number) => string
  /** Above the bars, and beside each of them. */
  costs: Readonly<Record<Way | 'title', string>>
  /** Accessible name of the table. */
  ledger: string
  parts: Readonly<Record<LedgerPart, string>>
  /** One thing that the session did. */
  activity: (activity: SessionActivity) => string
  /** After an activity that failed. */
  failed: (code: string) => string
  tokens: (tokens: number) => string
}

/** The parts of the context that the panel lists. */
export const LEDGER_PARTS = [
  'system',
  'metadata',
  'tools',
  'instructions',
  'references',
  'messages',
  'toolResults',
  'total',
] as const
export type LedgerPart = (typeof LEDGER_PARTS)[number]

/** The last part of an id: the folder of the skill. */
const nameOf = (id = ''): string => id.split('/').at(-1) ?? id
const fileOf = ({ skill, path = '' }: SessionActivity): string => `${nameOf(skill)}/${path}`

function englishOf(activity: SessionActivity): string {
  const { type, skill, tool, matches = [], skills = [], tools = [] } = activity
  const names = skills.map(nameOf).join(', ')
  switch (type) {
    case 'prepare': {
      const found = matches.map(({ id, score }) => `${nameOf(id)} ${percent(score)}`).join(', ')
      return `${found === '' ? 'No skill matched' : `Matched ${found}`}${names === '' ? '' : `; opened ${names}`}`
    }
    case 'load':
      return `Opened ${nameOf(skill)}${names === '' ? '' : `; closed ${names}`}`
    case 'load-reference':
      return `Added ${fileOf(activity)}`
    case 'read':
      return `Read ${fileOf(activity)}`
    case 'unload':
      return `Closed ${nameOf(skill)}`
    case 'tool':
      return `Ran ${tool}`
    case 'prune':
      return `Kept ${tools.length} tools`
    case 'rehydrate':
      return names === '' ? 'Nothing to restore' : `Restored ${names}`
  }
}

function chineseOf(activity: SessionActivity): string {
  const { type, skill, tool, matches = [], skills = [], tools = [] } = activity
  const names = skills.map(nameOf).join('、')
  switch (type) {
    case 'prepare': {
      const found = matches.map(({ id, score }) => `${nameOf(id)} ${percent(score)}`).join('、')
      return `${found === '' ? '没有匹配的技能' : `匹配 ${found}`}${names === '' ? '' : `；已打开 ${names}`}`
    }
    case 'load':
      return `打开 ${nameOf(skill)}${names === '' ? '' : `；关闭 ${names}`}`
    case 'load-reference':
      return `加入 ${fileOf(activity)}`
    case 'read':
      return `读取 ${fileOf(activity)}`
    case 'unload':
      return `关闭 ${nameOf(skill)}`
    case 'tool':
      return `运行 ${tool}`
    case 'prune':
      return `保留 ${tools.length} 个工具`
    case 'rehydrate':
      return names === '' ? '无需恢复' : `恢复 ${names}`
  }
}

export const TEXTS: Readonly<Record<Language, SkillActivityTexts>> = {
  en: {
    label: 'Skill activity',
    empty: 'Nothing yet.',
    turn: number => `Turn ${number}`,
    costs: {
      title: 'Tokens of the skills in the context',
      listed: 'Names and descriptions, as agents list them',
      skillshelf: 'skillshelf',
      inlined: 'Everything inlined',
    },
    ledger: 'Tokens in the context',
    parts: {
      system: 'System prompt',
      metadata: 'Names and descriptions',
      tools: 'Tools for skills',
      instructions: 'Instructions of open skills',
      references: 'Files in the context',
      messages: 'Messages',
      toolResults: 'Results of tools',
      total: 'Total',
    },
    activity: englishOf,
    failed: code => `failed: ${code}`,
    tokens: tokens => `${tokens.toLocaleString('en')} ${tokens === 1 ? 'token' : 'tokens'}`,
  },
  zh: {
    label: '技能活动',
    empty: '暂无活动。',
    turn: number => `第 ${number} 轮`,
    costs: {
      title: '技能在上下文中占用的 token',
      listed: '列出所有名称和描述，像智能体那样',
      skillshelf: 'skillshelf',
      inlined: '写入所有技能',
    },
    ledger: '上下文中的 token',
    parts: {
      system: '系统提示词',
      metadata: '名称与描述',
      tools: '技能工具',
      instructions: '已打开技能的说明',
      references: '上下文中的文件',
      messages: '消息',
      toolResults: '工具结果',
      total: '合计',
    },
    activity: chineseOf,
    failed: code => `失败：${code}`,
    tokens: tokens => `${tokens.toLocaleString('zh')} 个 token`,
  },
}
