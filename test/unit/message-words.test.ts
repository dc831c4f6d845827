import { describe, expect, it } from 'vitest'
import { removeRuledOut } from '../../src/core/text/message-negation.js'
import { openLibrary } from '../../src/exports/index.js'
import { divideWords } from '../../src/search/match/divide-words.js'

/** What of a message counts as its words. */

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`

describe('what a message rules out', () => {
  it.each([
    ['please do not make slides, just tell me a story', 'slides', 'story'],
    ["I don't want a chart, only the numbers", 'chart', 'numbers'],
    ['bitte keine Folien, schreib einen Bericht', 'Folien', 'Bericht'],
    ['no hagas diapositivas, escribe un informe', 'diapositivas', 'informe'],
    ['ne fais pas de diaporama, écris un rapport', 'diaporama', 'rapport'],
    ['não crie slides, escreva um relatório', 'slides', 'relatório'],
    ['не делай презентацию, напиши отчёт', 'презентацию', 'отчёт'],
    ['不要做幻灯片，写一份报告', '幻灯片', '报告'],
    ['スライドは作らないで、報告書を書いて', 'スライド', '報告書'],
    ['슬라이드는 만들지 말고 보고서를 써 줘', '슬라이드', '보고서'],
  ])('[BY-2] %j does not ask for %j', (message, ruledOut, wanted) => {
    const words = removeRuledOut(message)
    expect(words).not.toContain(ruledOut)
    expect(words).toContain(wanted)
  })

  it.each([
    "I don't want anyone to see where this selfie was taken",
    "why don't you make slides",
    "don't forget the invoice",
    "it doesn't open",
    '特别难的题',
    '想要不一样的标题',
  ])('[BY-2] %j rules nothing out', message => {
    expect(removeRuledOut(message)).toBe(message)
  })
})

describe('words in scripts without spaces', () => {
  it('[BY-13] divides a message into its words, and leaves out function words', () => {
    const isFunctional = (sequence: readonly string[]): boolean =>
      ['给', '我 的', '的', '我'].includes(sequence.join(' '))
    const words = divideWords('给我的函数写单元测试', isFunctional).split(/\s+/).filter(Boolean)
    expect(words).toEqual(['函数', '写', '单元', '测试'])
    expect(divideWords('write a test', isFunctional)).toBe('write a test')
  })

  it('[BY-13] finds a skill whose words are divided otherwise, and names only words of the message', async () => {
    const library = await openLibrary({
      'rent/SKILL.md': skill('rent', '每月最后一个工作日提醒交房租。'),
      'budget/SKILL.md': skill('budget', '每月的预算，房租和工作的收入。'),
    })
    const { matches } = await library.search('每月最后一个工作日提醒我交房租')
    expect(matches[0]?.name).toBe('rent')
    expect(matches[0]?.signals.terms.map(({ text }) => text)).not.toContain('个工')
  })

  it('[BY-10] no part of a function word is missing in a skill', async () => {
    const library = await openLibrary({
      'notes/SKILL.md': skill('notes', '把录音整理成会议纪要。'),
    })
    const { matches } = await library.search('会议录音里谁负责什么')
    expect(matches[0]?.signals.missing).toEqual(expect.arrayContaining(['负', '责']))
    expect(matches[0]?.signals.missing).not.toContain('什')
    expect(matches[0]?.signals.missing).not.toContain('么')
  })
})
