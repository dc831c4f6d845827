import type { Language } from '../../search/match/skill-match.js'
import type { SkillSearchTexts } from './events.js'

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

export const TEXTS: Readonly<Record<Language, SkillSearchTexts>> = {
  en: {
    label: 'Search skills',
    placeholder: 'What do you want to do?',
    loading: 'Loading skills…',
    failed: 'The skills could not be loaded.',
    retry: 'Try again',
    empty: 'This library has no skills.',
    count: skills => plural(skills, 'skill', 'skills'),
    found: skills => plural(skills, 'skill found', 'skills found'),
    nearest: 'No skill is a likely match. These are the nearest.',
    noMatch: 'No skill matches this message.',
    score: 'Score',
    unlikely: 'unlikely',
    hints: { select: 'Select', open: 'Open', close: 'Close' },
    clear: 'Clear',
    close: 'Close',
    back: 'Back',
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'The text is selected: copy it with the keyboard.',
    files: files => plural(files, 'file', 'files'),
  },
  zh: {
    label: '搜索技能',
    placeholder: '你想做什么？',
    loading: '正在加载技能…',
    failed: '技能加载失败。',
    retry: '重试',
    empty: '此技能库没有技能。',
    count: skills => `共 ${skills} 个技能`,
    found: skills => `找到 ${skills} 个技能`,
    nearest: '没有可能性高的技能，以下最接近。',
    noMatch: '没有匹配的技能。',
    score: '得分',
    unlikely: '可能性低',
    hints: { select: '选择', open: '打开', close: '关闭' },
    clear: '清除',
    close: '关闭',
    back: '返回',
    copy: '复制',
    copied: '已复制',
    notCopied: '文本已选中，请用键盘复制。',
    files: files => `${files} 个文件`,
  },
}
