import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { matchers } from '../../bench/rank/matchers.js'
import { answerAll, type Figures, figuresByLanguage } from '../../bench/rank/measure.js'
import { openLibrary } from '../../src/library/open-library.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { isInShare } from '../samples.js'

const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)

/** Descriptions of three skills in twenty languages, and for each in its order a message that shares a word with it. */
const LANGUAGES = `
  en: Checks an invoice | Plans a dinner recipe | Books a flight | is this invoice right | a recipe with beans | a flight on Monday
  zh: 检查发票 | 安排晚餐菜谱 | 预订机票 | 这张发票对吗 | 用豆子的菜谱 | 星期一的机票
  ja: 請求書を確認します | 夕食のレシピを考えます | 航空券を予約します | この請求書は正しいですか | 豆を使うレシピ | 月曜日の航空券
  ko: 송장을 확인합니다 | 저녁 요리법을 계획합니다 | 비행기표를 예약합니다 | 이 송장이 맞나요 | 콩으로 하는 요리법 | 월요일 비행기표
  es: Revisa una factura | Planea una receta para la cena | Reserva un vuelo | ¿está bien esta factura? | una receta con judías | un vuelo el lunes
  de: Prüft eine Rechnung | Plant ein Rezept für das Abendessen | Bucht einen Flug | stimmt diese Rechnung | ein Rezept mit Bohnen | ein Flug am Montag
  fr: Vérifie une facture | Prévoit une recette pour le dîner | Réserve un vol | cette facture est-elle juste | une recette avec des haricots | un vol lundi
  pt: Confere uma fatura | Planeja uma receita para o jantar | Reserva um voo | esta fatura está certa? | uma receita com feijão | um voo na segunda
  ru: Проверяет счёт | Подбирает рецепт ужина | Бронирует авиабилет | верен ли этот счёт | рецепт с фасолью | авиабилет на понедельник
  it: Controlla una fattura | Pianifica una ricetta per la cena | Prenota un volo | questa fattura è giusta? | una ricetta con i fagioli | un volo lunedì
  nl: Controleert een factuur | Bedenkt een recept voor het avondeten | Boekt een vlucht | klopt deze factuur | een recept met bonen | een vlucht op maandag
  pl: Sprawdza fakturę | Układa przepis na kolację | Rezerwuje lot | sprawdź tę fakturę | przepis z fasolą | lot w poniedziałek
  sv: Kontrollerar en faktura | Planerar ett recept till middagen | Bokar ett flyg | stämmer denna faktura | ett recept med bönor | ett flyg på måndag
  tr: Bir fatura denetler | Akşam yemeği için tarif hazırlar | Bir uçuş ayırtır | bu fatura doğru mu | fasulyeli tarif | pazartesi uçuş
  uk: Перевіряє рахунок | Добирає рецепт вечері | Бронює авіаквиток | чи правильний цей рахунок | рецепт із квасолею | авіаквиток на понеділок
  vi: Kiểm tra hóa đơn | Lên công thức nấu bữa tối | Đặt vé máy bay | hóa đơn này có đúng không | công thức với đậu | vé máy bay thứ hai
  ar: يفحص فاتورة | يخطط وصفة للعشاء | يحجز رحلة | هل هذه فاتورة صحيحة | وصفة بالفول | رحلة يوم الاثنين
  he: בודק חשבונית | מתכנן מתכון לארוחת ערב | מזמין טיסה | האם זו חשבונית נכונה | מתכון עם שעועית | טיסה ביום שני
  hi: चालान जाँचता है | रात के खाने की विधि बनाता है | उड़ान बुक करता है | क्या यह चालान सही है | राजमा की विधि | सोमवार की उड़ान
  th: ตรวจใบแจ้งหนี้ | วางแผนสูตรอาหารเย็น | จองตั๋วเครื่องบิน | ใบแจ้งหนี้นี้ถูกไหม | สูตรใส่ถั่ว | ตั๋วเครื่องบินวันจันทร์
`

describe('each language is ranked at least as well with the bundled model as by words', () => {
  const embedder = bundled({ parts: 'all' })

  it.each(
    LANGUAGES.trim()
      .split('\n')
      .map(line => line.trim().split(': ')),
  )('[BY-13] %s', async (_, line = '') => {
    const texts = line.split(' | ')
    const [skills, messages] = [texts.slice(0, 3), texts.slice(3)]
    expect(messages).toHaveLength(3)
    const files = Object.fromEntries(
      skills.map((description, index) => [
        `${index}/SKILL.md`,
        `---\nname: s${index}\ndescription: ${description}\n---\n`,
      ]),
    )
    await using words = await openLibrary(files)
    await using both = await openLibrary(files, { embedder })
    for (const [index, message] of messages.entries()) {
      expect((await words.search(message)).matches[0]?.name).toBe(`s${index}`)
      expect((await both.search(message)).matches[0]?.name).toBe(`s${index}`)
    }
  })
})

describe('what a model knows of a message decides what it weighs', () => {
  const files = {
    'invoice/SKILL.md':
      '---\nname: invoice\ndescription: Checks a pile of bills of a supplier\n---\n',
    'recipe/SKILL.md': '---\nname: recipe\ndescription: Plans a dinner\n---\n',
  }
  /** A model to which every message is near to the recipe. */
  const model = (coverage: number): SkillModel => ({
    space: 'test',
    dimensions: 8,
    coverage: () => coverage,
    vectorOf: () => Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0),
    skillVector: ({ name }, into) => {
      into.fill(0)
      into[name.startsWith('recipe') ? 0 : 1] = 1
      return into
    },
  })

  it.each([
    [1, 'recipe'],
    [0.25, 'invoice'],
    [0.1, 'invoice'],
  ])('[BY-13] of %f of its terms', async (coverage, name) => {
    await using library = await openLibrary(files, { embedder: model(coverage) })
    const message = 'pile of envelopes nobody opened since last summer holidays began'
    const { matches, model: ranked } = await library.search(message)
    expect(matches[0]?.name).toBe(name)
    expect(ranked.startsWith('hybrid')).toBe(coverage > 0.2)
  })
})

it.skipIf(!existsSync(pools))(
  '[BY-13] own words: the bundled model finds more than words do, in each language (needs ../shared/data)',
  async () => {
    const file = new URL('../ranking/own-words-a.jsonl', import.meta.url)
    const queries = readRows<TriggerQuery>(file).filter(({ query }) => isInShare(query, 3))
    const origins = new Set(queries.map(({ origin }) => origin))
    const skills = readRows<PoolSkill>(pools).filter(({ origin }) => origins.has(origin))
    const [words, both] = (await Promise.all(
      ['lexical', 'hybrid'].map(async name => {
        const { open } = matchers[name] as (typeof matchers)[string]
        // Only the ranks are looked at.
        const openRanker = async (some: readonly PoolSkill[]) => ({ rank: (await open(some)).rank })
        return figuresByLanguage(await answerAll(queries, skills, openRanker))
      }),
    )) as [Record<string, Figures>, Record<string, Figures>]
    expect(Object.keys(both).sort()).toEqual(['en', 'es', 'ja', 'ko', 'zh'])
    for (const [language, { r1, r5 }] of Object.entries(both)) {
      expect(r1, language).toBeGreaterThan((words[language]?.r1 as number) + 0.1)
      expect(r5, language).toBeGreaterThan((words[language]?.r5 as number) + 0.1)
    }
  },
)
