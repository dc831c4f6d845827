import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/exports/model.js'
import { writeArchive } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { temporaryFolder } from '../folders.js'
import { samples } from '../samples.js'
import { buildWorker, type RunningWorker, TOKEN } from './engine-worker-world.js'

const models = fileURLToPath(new URL('../../model', import.meta.url))
const LINE = 'assets = { directory = "node_modules/skillshelf/model", binding = "ASSETS" }'

/** Described in English or Chinese. */
const SAMPLES = ['ppt', 'book-flight', 'pdf', 'deep_research', 'email-writer', 'unit-tests']
/** Messages for sample skills. */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  en: ['make a talk about what we shipped', 'reserve a seat to Lisbon'],
  zh: ['帮我做一个幻灯片', '我想订一张去东京的机票'],
  ja: ['新製品発表のスライドを作って', '金曜日の航空券を予約して'],
  ko: ['출시 발표용 슬라이드를 만들어 줘', '비행기표를 예약해 줘'],
  es: ['necesito una presentación sobre el lanzamiento', 'quiero un vuelo para el viernes'],
  de: ['ich brauche eine Präsentation über den Start', 'buche mir bitte einen Flug'],
  fr: ['je voudrais une présentation de notre lancement', 'je veux un vol pour vendredi'],
  pt: ['preciso de uma apresentação sobre o lançamento', 'quero um voo para sexta'],
  ru: ['сделай презентацию о нашем запуске', 'забронируй авиабилет'],
}
/** A skill in each language. */
const SKILLS: Readonly<Record<string, string>> = {
  en: 'Checks an invoice against its order.',
  zh: '检查发票和订单是否一致。',
  ja: '請求書を注文書と照合します。',
  ko: '송장을 주문서와 대조합니다.',
  es: 'Revisa una factura antes de que la empresa pague al proveedor.',
  de: 'Prüft eine Rechnung, bevor die Firma sie bezahlt und ablegt.',
  fr: "Vérifie une facture avant que l'entreprise ne la paie.",
  pt: 'Confere uma fatura antes que a empresa faça o pagamento.',
  ru: 'Сверяет счёт с заказом перед оплатой.',
}
const files = Object.fromEntries(
  Object.entries(SKILLS).map(([language, description]) => [
    `invoice-${language}/SKILL.md`,
    `---\nname: invoice-${language}\ndescription: ${description}\n---\n`,
  ]),
)

interface Answer {
  matches: readonly { id: string; score: number; reason: string }[]
  model: string
  complete: boolean
}

const built = buildWorker()

const install = async (
  worker: RunningWorker,
  skills: Readonly<Record<string, Uint8Array | string>>,
) =>
  worker.fetch('v1/store', {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' },
    body: await writeArchive(skills, { format: 'zip' }),
  })
const search = async (worker: RunningWorker, message: string) =>
  (await (await worker.fetch(`v1/search?message=${encodeURIComponent(message)}`)).json()) as Answer
const segmentsOf = (paths: readonly string[]) => paths.filter(path => path.endsWith('.seg')).sort()
const packed = async (skills: Readonly<Record<string, Uint8Array | string>>) => {
  const source = memory({}, { name: 'skills' })
  await skillStore(source, { embedder: bundled() }).install(skills)
  return segmentsOf((await source.list()).map(({ path }) => path))
}

describe('the Worker of the repository', () => {
  it('[BY-24] packs the skills of nine languages to the same bytes as Node, and matches them alike', async () => {
    const skills: Record<string, Uint8Array | string> = { ...files }
    for (const name of SAMPLES)
      skills[`${name}/SKILL.md`] = readFileSync(join(samples, name, 'SKILL.md'))
    const segments = await packed(skills)
    await using library = await openLibrary(memory(skills, { name: 'skills' }), {
      embedder: bundled(),
    })
    const messages = Object.values(MESSAGES).flat()
    const expected: Answer[] = []
    for (const message of messages) expected.push(await library.search(message))
    expect(
      expected.filter(({ model, complete }) => !model.startsWith('hybrid') || !complete),
    ).toEqual([])

    await using worker = await built.start({}, models)
    expect((await install(worker, skills)).status).toBe(200)
    // A segment is named by its digest.
    expect(segmentsOf(await worker.keys())).toEqual(segments)
    for (const [index, message] of messages.entries()) {
      const { matches, model, complete } = expected[index] as Answer
      expect(await search(worker, message), message).toMatchObject({
        // `Math.exp` of two versions of V8 may differ in the last bit.
        matches: matches.map(({ id, score, reason }) => ({
          id,
          score: expect.closeTo(score, 12),
          reason,
        })),
        model,
        complete,
      })
    }
  })

  it('[BY-24] without its static assets it matches English as before, other languages by words, and stores no poorer vector', async () => {
    await using worker = await built.start({})
    const english = { 'invoice-en/SKILL.md': files['invoice-en/SKILL.md'] as string }
    expect((await install(worker, english)).status).toBe(200)
    expect(segmentsOf(await worker.keys())).toEqual(await packed(english))
    const found = await search(worker, 'check an invoice')
    expect(found).toMatchObject({ model: expect.stringMatching(/^hybrid/), complete: true })
    expect(await search(worker, '송장')).toMatchObject({ model: 'lexical/1', complete: false })
    const refused = await install(worker, files)
    const problem = { code: 'source-failed', hint: expect.stringContaining(LINE) }
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining(problem)])
    expect(segmentsOf(await worker.keys())).toEqual(await packed(english))
  })
})

describe('a Worker of a user', () => {
  const CODE = `
    import { openLibrary } from 'skillshelf'
    import { bundled } from 'skillshelf/model'
    import { r2 } from 'skillshelf/cloudflare'
    const FILES = { 'flight/SKILL.md': '---\\nname: flight\\ndescription: Books airline tickets.\\n---\\n' }
    export default {
      async fetch(request, env) {
        const options = new URL(request.url).pathname === '/bucket'
          ? { embedder: bundled({ files: r2(env.SKILLS, { prefix: 'model/' }) }) }
          : {}
        const library = await openLibrary(FILES, options)
        const { matches } = await library.search('хочу купить билет на самолёт')
        return Response.json({ reason: matches[0]?.reason, diagnostics: library.snapshot.diagnostics })
      },
    }`
  const FOUND = { reason: 'close in meaning', diagnostics: [] }
  const mine = buildWorker(CODE)

  const answer = async (worker: RunningWorker, path = '') => await (await worker.fetch(path)).json()

  it('[BY-24] matches by meaning without options, if the model is in its static assets', async () => {
    const own = temporaryFolder()
    cpSync(models, join(own, 'model'), { recursive: true })
    for (const assets of [models, own]) {
      await using worker = await mine.start({}, assets)
      expect(await answer(worker)).toEqual(FOUND)
    }
  })

  it('[BY-24] without the model it matches by words, and a diagnostic names the line to add; with one in its bucket by meaning', async () => {
    await using worker = await mine.start()
    const missing = { code: 'model-unavailable', message: expect.stringContaining(LINE) }
    expect(await answer(worker)).toEqual({ diagnostics: [expect.objectContaining(missing)] })
    for (const part of ['latin', 'cyrillic'])
      await worker.bucket.put(
        `model/${part}.bin`,
        new Uint8Array(readFileSync(join(models, `${part}.bin`))),
      )
    expect(await answer(worker, 'bucket')).toEqual(FOUND)
  })
})
