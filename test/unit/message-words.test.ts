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
    ['skip invoice-check and pay the bill', 'invoice-check', 'pay the bill'],
    ['please skip the invoice check, pay the bill', 'invoice', 'pay the bill'],
    ['pay the bill without the invoice check skill', 'check', 'pay the bill'],
    ['pay the bill without invoice-check', 'invoice', 'pay the bill'],
    ['pay the bill without using invoice check', 'invoice', 'pay the bill'],
    ['use anything but invoice-check to pay the bill', 'invoice', 'pay the bill'],
    ['everything except the invoice-check, then pay the bill', 'invoice', 'pay the bill'],
    ['ignore the skill invoice-check, pay the bill', 'invoice', 'pay the bill'],
    ['überspringe invoice-check und bezahle die Rechnung', 'invoice', 'bezahle die Rechnung'],
    ['bezahle die Rechnung ohne den invoice-check', 'invoice', 'bezahle die Rechnung'],
    ['alles außer invoice-check, bezahle die Rechnung', 'invoice', 'bezahle die Rechnung'],
    ['lass invoice-check weg, bezahle die Rechnung', 'invoice', 'bezahle die Rechnung'],
    ['saute invoice-check et paie la facture', 'invoice', 'paie la facture'],
    ['paie la facture sans invoice-check', 'invoice', 'paie la facture'],
    ["n'importe quoi sauf invoice-check, paie la facture", 'invoice', 'paie la facture'],
    ['omite invoice-check, paga la factura', 'invoice', 'paga la factura'],
    ['paga la factura sin usar invoice-check', 'invoice', 'paga la factura'],
    ['pule invoice-check, pague a fatura', 'invoice', 'pague a fatura'],
    ['qualquer coisa menos invoice-check, pague a fatura', 'invoice', 'pague a fatura'],
    ['пропусти invoice-check, оплати счёт', 'invoice', 'оплати счёт'],
    ['оплати счёт без навыка invoice-check', 'invoice', 'оплати счёт'],
    ['跳过 invoice-check，付账单', 'invoice', '付账单'],
    ['除了 invoice-check 都行，付账单', 'invoice', '付账单'],
    ['invoice-check 以外で請求書を払って', 'invoice', '請求書を払って'],
    ['invoice-check をスキップして、請求書を払って', 'invoice', '請求書を払って'],
    ['invoice-check 빼고 청구서를 내 줘', 'invoice', '청구서를 내 줘'],
    ["translate this, but don't run invoice-check", 'invoice', 'translate this'],
    ['use hull-paint, not invoice-check', 'invoice', 'hull-paint'],
    ['write a page for buyers, not developers', 'developers', 'page for buyers'],
    ['rather than invoice-check use hull-paint', 'invoice', 'hull-paint'],
    ['leave invoice-check out, pay the bill', 'invoice', 'pay the bill'],
    ["invoice-check isn't needed, pay the bill", 'invoice', 'pay the bill'],
    ["you don't need invoice-check, pay the bill", 'invoice', 'pay the bill'],
    ['disable the invoice check skill, pay the bill', 'check', 'pay the bill'],
    ['forget about invoice-check, pay the bill', 'invoice', 'pay the bill'],
    ['bezahle, aber nicht mit invoice-check', 'invoice', 'bezahle'],
    ['nutze invoice-check nicht, bezahle', 'invoice', 'bezahle'],
    ['statt invoice-check nimm hull-paint', 'invoice', 'hull-paint'],
    ['bitte invoice-check überspringen, bezahle', 'invoice', 'bezahle'],
    ['pas avec invoice-check, paie', 'invoice', 'paie'],
    ['ignore le skill invoice-check et paie', 'invoice', 'paie'],
    ['pas invoice-check, mais hull-paint', 'invoice', 'hull-paint'],
    ['no con invoice-check, paga', 'invoice', 'paga'],
    ['en lugar de invoice-check usa hull-paint', 'invoice', 'hull-paint'],
    ['não com invoice-check, pague', 'invoice', 'pague'],
    ['ao invés de invoice-check use hull-paint', 'invoice', 'hull-paint'],
    ['не с invoice-check, оплати', 'invoice', 'оплати'],
    ['вместо invoice-check возьми hull-paint', 'invoice', 'hull-paint'],
    ['invoice-check не нужен, оплати', 'invoice', 'оплати'],
    ['不要用 invoice-check，付账单', 'invoice', '付账单'],
    ['不是 invoice-check，是 hull-paint', 'invoice', 'hull-paint'],
    ['除 invoice-check 之外随便，付账单', 'invoice', '付账单'],
    ['用 hull-paint 代替 invoice-check', 'invoice', 'hull-paint'],
    ['invoice-check ではなく hull-paint を使って', 'invoice', 'hull-paint'],
    ['invoice-check を無視して、払って', 'invoice', '払って'],
    ['invoice-check가 아니라 hull-paint', 'invoice', 'hull-paint'],
    ['invoice-check 건너뛰어 줘. 청구서를 내', 'invoice', '청구서를 내'],
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
    'avoid SQL injection',
    'ignore whitespace in the diff',
    'export the table without losing the formulas',
    'a plan for everything but time is short',
    '除了 PDF 还要 Word',
    'スライドを作って、アニメーションなしで',
    '想要不一样的标题',
    'turn off dark-mode in my app',
    'exclude node-modules from the search',
    'the page was not found, repair it',
    '忽略 NaN 值再求和',
    // Negated twice.
    "don't skip invoice-check",
    'you should never leave out invoice-check',
    'nothing but invoice-check',
    'no skill other than invoice-check',
    'do not use any skill except invoice-check',
    'never pay without invoice-check',
    'not only invoice-check',
    'überspringe invoice-check auf keinen Fall',
    'bitte nicht invoice-check überspringen',
    'nichts außer invoice-check',
    'bezahle nie ohne invoice-check',
    'ne saute pas invoice-check',
    "rien d'autre que invoice-check",
    'ne paie jamais sans invoice-check',
    'no omitas invoice-check',
    'no uses nada más que invoice-check',
    'no pagues sin invoice-check',
    'não pule invoice-check',
    'nada além de invoice-check',
    'nunca pague sem invoice-check',
    'не пропускай invoice-check',
    'ничего, кроме invoice-check',
    'не плати без invoice-check',
    '别跳过 invoice-check',
    '除了 invoice-check 都不要用',
    '不用 invoice-check 不行',
    'invoice-check をスキップしないで',
    'invoice-check 以外は使わないで',
    'invoice-check なしではできない',
    'invoice-check 건너뛰지 마',
    'invoice-check 외에는 사용하지 마',
    '그리고 invoice-check 없이는 안 돼',
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
