import { describe, expect, it } from 'vitest'
import { cli, demo, expectRefusal, skill, temporaryFolder } from './cli-world.js'

interface Message {
  text: string
  from: string
  taken: boolean
  share?: number
}
interface Pair {
  skills: { name: string; only: string[] }[]
  messages: Message[]
}

const bread = skill('bread', 'Plans the baking of sourdough bread backwards from dinner.')
const packing = skill(
  'packing',
  'Writes a packing list for a trip from its length and the weather.',
)

const overlapsOf = async (files: Readonly<Record<string, string>>): Promise<Pair[]> =>
  (await cli(['validate', '.', '--overlap', '--json'], { cwd: temporaryFolder(files) })).json()
    .overlaps

describe('skillshelf validate --overlap', () => {
  it('[BY-10] reports no text of the samples as taken, because they serve different tasks', async () => {
    const { code, json } = await cli(['validate', demo, '--overlap', '--json'])
    expect(code).toBe(0)
    const texts = json().overlaps.flatMap(
      ({ messages }: { messages: { taken: boolean }[] }) => messages,
    )
    expect(texts.filter(({ taken }: { taken: boolean }) => taken)).toEqual([])
    const cwd = temporaryFolder({ 'bread/SKILL.md': bread, 'packing/SKILL.md': packing })
    expect((await cli(['validate', '.', '--json'], { cwd })).json().overlaps).toBeUndefined()
  })

  it('[BY-10] reports a trigger that another skill takes, the missing words, and fails with --strict', async () => {
    const cwd = temporaryFolder({
      'bread/SKILL.md': bread,
      'bread/triggers.yaml': '- message: a list for the weather\n- message: bake sourdough\n',
      'packing/SKILL.md': packing,
    })
    const { code, json } = await cli(['validate', '.', '--overlap', '--json'], { cwd })
    expect(code).toBe(0)
    const overlaps = json().overlaps as Pair[]
    expect(overlaps).toHaveLength(1)
    expect(overlaps[0]?.messages).toEqual([
      expect.objectContaining({
        skill: expect.stringMatching(/\/bread$/),
        text: 'a list for the weather',
        from: 'triggers.yaml',
        path: 'bread/triggers.yaml',
        line: 1,
        taken: true,
        missing: ['weather'],
      }),
    ])
    const [{ only: ofBread = [] } = {}, { only: ofPacking = [] } = {}] = overlaps[0]?.skills ?? []
    expect(ofBread).toEqual(expect.arrayContaining(['sourdough', 'baking']))
    expect(ofPacking).toEqual(expect.arrayContaining(['packing', 'weather']))
    const { out } = await cli(['validate', '.', '--overlap'], { cwd })
    expect(out).toMatch(
      /\nbread and packing\nbread +triggers\.yaml: a list for the weather +taken by packing\n/,
    )
    expect(out).toMatch(/bread +missing here: .*weather/)
    expect(out).toMatch(/1 overlapping pair, 1 text taken by another skill\n$/)
    expect((await cli(['validate', '.', '--overlap', '--strict'], { cwd })).code).toBe(1)
    expect((await cli(['validate', '.', '--strict'], { cwd })).code).toBe(0)
  })

  it('[BY-10] a sentence that points to another skill is no text of its own', async () => {
    const texts = {
      'bread/SKILL.md': skill(
        'bread',
        'Bakes sourdough rolls. For birthday cakes with icing see `cake`.',
      ),
      'cake/SKILL.md': skill(
        'cake',
        'Bakes birthday cakes with icing. For savory pies, use the pie skill.',
      ),
      'pie/SKILL.md': skill('pie', 'Makes savory pies with a crust. 生日蛋糕请用 cake。'),
    }
    const described = (await overlapsOf(texts)).flatMap(({ messages, skills }) => [
      ...messages.map(({ text }) => text),
      ...skills.flatMap(({ only }) => only),
    ])
    expect(described).not.toEqual([])
    expect(described.filter(text => /see|use the pie|请用|蛋糕/.test(text))).toEqual([])
  })

  it('[BY-10] accepts a trigger that belongs to both skills', async () => {
    const triggers =
      '- message: a list for the weather\n  skill: [bread, packing]\n- message: trip\n  skill: packing\n'
    const files = {
      'bread/SKILL.md': bread,
      'bread/triggers.yaml': triggers,
      'packing/SKILL.md': packing,
    }
    expect(await overlapsOf(files)).toEqual([])
  })

  it('[BY-10] reports descriptions that say nearly the same, but not a sentence of many skills', async () => {
    const common = 'Ready for production use.'
    const descriptions = {
      'stripe-payments': 'Adds Stripe checkout, webhooks and subscriptions.',
      payments: 'Adds checkout, webhooks and subscriptions with Stripe or PayPal.',
      packing: 'Writes a packing list for a trip.',
    }
    const cwd = temporaryFolder(
      Object.fromEntries(
        Object.entries(descriptions).map(([name, text]) => [
          `${name}/SKILL.md`,
          skill(name, `${text} ${common}`),
        ]),
      ),
    )
    const overlaps = (await cli(['validate', '.', '--overlap', '--json'], { cwd })).json()
      .overlaps as Pair[]
    expect(overlaps.map(({ skills }) => skills.map(({ name }) => name))).toEqual([
      ['payments', 'stripe-payments'],
    ])
    for (const { text, from, taken, share } of overlaps[0]?.messages ?? []) {
      expect({ from, taken }).toEqual({ from: 'description', taken: false })
      expect(text).not.toBe(common)
      expect(share).toBeGreaterThan(0.6)
    }
    expect(overlaps[0]?.skills[0]?.only).toContain('PayPal')
    expect((await cli(['validate', '.', '--overlap', '--strict'], { cwd })).code).toBe(0)
  })

  it('needs a folder of skills', async () => {
    const cwd = temporaryFolder({ 'bread/SKILL.md': bread })
    await expectRefusal(
      '`--overlap` compares the skills of a folder',
      ['validate', 'bread', '--overlap'],
      { cwd },
    )
  })

  it('[BY-31] a text is taken by the skill that `match` puts first, and a message that fires is contested by none', async () => {
    const store = (name: string, place: string): string =>
      skill(name, `Uploads, downloads and shares files in ${place} folders.`)
    const files = {
      'onedrive/SKILL.md': store('onedrive', 'OneDrive'),
      'dropbox/SKILL.md': store('dropbox', 'Dropbox'),
      'gdrive/SKILL.md': store('gdrive', 'Google Drive'),
      'mail/SKILL.md': skill('mail', 'Sends e-mails with attached files.'),
      'mail/messages.txt': 'upload this file to onedrive\n',
      'mail/triggers.yaml': '- message: share the file in google drive\n',
    }
    const texts = (await overlapsOf(files))
      .flatMap(({ skills, messages }) =>
        messages.map(one => ({ ...one, names: skills.map(({ name }) => name) })),
      )
      .filter(({ from }) => from !== 'description')
    expect(texts).toMatchObject([{ from: 'triggers.yaml', taken: true, names: ['gdrive', 'mail'] }])
  })

  it('[BY-31] a text that no skill would answer is not taken by the first of them', async () => {
    const files = {
      'bread/SKILL.md': bread,
      'bread/triggers.yaml': '- message: what on earth is the length of it\n',
      'packing/SKILL.md': packing,
    }
    expect((await overlapsOf(files)).flatMap(({ messages }) => messages)).toEqual([])
  })
})
