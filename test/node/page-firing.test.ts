import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { memory, openLibrary, type SkillId, type SkillLibrary } from '../../src/exports/index.js'
import {
  collectTriggers,
  readTriggers,
  runTriggers,
  type TriggerReport,
} from '../../src/exports/testing.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import { ownMessages } from '../../src/tools/testing/own-messages.js'
import {
  describePage,
  eventually,
  packed,
  sampleLibrary,
  textOf,
  waitForText,
} from './page-world.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

const HELD_OUT = new URL('../../demo/views/held-out.yaml', import.meta.url)
const TESTED = {
  'roses/SKILL.md':
    '---\nname: roses\ndescription: Prunes roses in the garden. Use when cutting dead wood.\n---\nCut.\n',
  'roses/triggers.yaml': '- message: prune the roses\n- message: plant tulip bulbs\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig.\n',
  'weeds/SKILL.md': '---\nname: weeds\ndescription: Pulls weeds.\n---\nPull.\n',
  'weeds/trigger-evals.json': '[{ "query": "plant bulbs in autumn", "should_trigger": true }]',
}

/** Fates of the messages of each skill: those that fire, those that are first, all. */
async function expectedOf(library: SkillLibrary): Promise<{
  rows: (string | number)[][]
  firing: number
  never: number
  summary: TriggerReport['summary']
}> {
  const files = await collectTriggers(library)
  const rows: (string | number)[][] = []
  let ownFirst = 0
  let ownAbove = 0
  for (const [id, cases] of ownMessages(library, files)) {
    const run = async (from: (one: string) => boolean) => {
      const some = cases.filter(one => from(one.from))
      return (await runTriggers(library, [{ cases: some, problems: [], owner: id }])).summary
    }
    const { total, first, above } = await run(() => true)
    const name = library.snapshot.skills.find(skill => skill.id === id)?.name ?? ''
    rows.push([name, total, above, first - above, total - first])
    const tests = await run(from => from === 'test')
    ownFirst += tests.first
    ownAbove += tests.above
  }
  // What the command `test` says.
  const { summary } = await runTriggers(library, files)
  expect([ownFirst, ownAbove]).toEqual([summary.first, summary.above])
  return {
    summary,
    rows,
    firing: rows.filter(([, , above]) => (above as number) > 0).length,
    never: rows.filter(([, , above, unsure]) => (above as number) + (unsure as number) === 0)
      .length,
  }
}

describePage('which skills fire', { tested: () => packed(memory(TESTED)) }, world => {
  const start = async () =>
    world.view().getByRole('button', { name: 'Rank their messages' }).click()
  const skill = (id: SkillId) =>
    world
      .view()
      .locator('.firing-skills > details')
      .filter({ has: world.page.locator('summary strong', { hasText: id }) })
  const equalsCommandLine = async (library: SkillLibrary): Promise<TriggerReport['summary']> => {
    const { rows, firing, never, summary } = await expectedOf(library)
    await waitForText(world.view(), `${firing} of ${rows.length} skills fire`)
    await waitForText(world.view(), `${never} never first`)
    await world.view().getByText('Table for a README').click()
    await world.view().getByRole('button', { name: 'Copy: Table for a README' }).click()
    await world.view().getByRole('status').getByText('Copied', { exact: true }).waitFor()
    const lines = (await world.clipboard()).trim().split('\n').slice(2)
    expect(lines.sort()).toEqual(rows.map(cells => `| ${cells.join(' | ')} |`).sort())
    await world.view().getByText('Badge for a README').click()
    await waitForText(world.view(), `skills_that_fire-${firing}%2F${rows.length}-`)
    return summary
  }

  it('[BY-10] the messages of the samples have the fates that the command line finds, and the Tests view gives its results, with held-out messages in nine languages', async () => {
    const library = await sampleLibrary()
    const heldOut = readTriggers(await readFile(HELD_OUT, 'utf8'), 'held-out.yaml')
    expect(heldOut.problems).toEqual([])
    expect(heldOut.cases.length).toBe(40)
    await world.visit('samples')
    await world.page.getByRole('link', { name: 'Which of your skills never fire?' }).click()
    await start()
    const summary = await equalsCommandLine(library)
    await world.expectNoOverflow('firing', [320, 360, 768, 1280, 1920])
    const section = (name: string) => world.view().getByRole('region', { name, exact: true })

    const own = section('The skills’ own examples')
    await own.getByText(`${summary.passed} of ${summary.total} passed`).waitFor()
    const rows = own.locator('.cases tbody tr')
    await eventually(() => rows.count()).toBe(summary.total - summary.passed)
    await own.getByRole('button', { name: `Show all ${summary.total}` }).click()
    await eventually(() => rows.count()).toBe(summary.total)
    const figures = await own.locator('.figures dd').allTextContents()
    expect(figures[0]).toContain(`${summary.first} of ${summary.positive}`)
    expect(figures[1]).toContain(`${summary.above} of ${summary.positive}`)
    expect(figures[2]).toContain(`${summary.abstained} of ${summary.none}`)

    const { summary: apart, cases } = await runTriggers(library, [{ ...heldOut, owner: undefined }])
    const others = section('Held-out messages')
    await others.getByText(`${apart.passed} of 40 passed.`).waitFor()
    const misses = cases.filter(({ passed }) => !passed).map(({ message }) => message)
    const shown = others.locator('.cases tbody tr').filter({ visible: true }).getByRole('button')
    await eventually(() => shown.allTextContents()).toEqual(misses)
    await others.getByText(new RegExp(`^${misses.length || 'No'} messages? failed\\.`)).waitFor()
    await others.getByRole('button', { name: 'Show all 40' }).click()
    await eventually(() => shown.count()).toBe(40)
  })

  it('[BY-10] a skill shows who takes its messages and which words it lacks, and an editor counts again', async () => {
    await world.visit('tested', { hash: '#/tests' })
    await start()
    await waitForText(world.view(), '2 of 3 skills fire')
    await waitForText(world.view(), '1 never first, with 5 messages.')
    // The worst is first.
    await eventually(() =>
      world.view().locator('.firing-skills summary strong').allTextContents(),
    ).toEqual(['weeds', 'roses', 'tulips'])
    await skill('roses').locator('summary').focus()
    await world.page.keyboard.press('Enter')
    await waitForText(skill('roses'), /^2 of 3 fire$/)
    const taken = skill('roses').getByRole('listitem').filter({ hasText: 'plant tulip bulbs' })
    await waitForText(taken, /^goes to tulips, \d+%$/)
    await waitForText(taken, /^Not in this skill: .*“tulip”/)

    const box = skill('roses').getByLabel('Try another description')
    await box.fill(
      'Prunes roses, cuts dead wood. Tulip bulbs: plants tulip bulbs, to plant tulip bulbs.',
    )
    await waitForText(skill('roses'), /^3 of 3 fire, 2 before\. The messages of other/)
    await waitForText(skill('roses'), /^3 of 3 fire$/)
    await skill('roses').getByRole('button', { name: 'Copy: SKILL.md of roses' }).click()
    await skill('roses').getByRole('status').getByText('Copied', { exact: true }).waitFor()
    expect(await world.clipboard()).toBe(
      '---\nname: roses\ndescription: "Prunes roses, cuts dead wood. Tulip bulbs: plants tulip bulbs, to plant tulip bulbs."\n---\nCut.\n',
    )
    await box.fill('Prunes roses in the garden. Use when cutting dead wood.')
    await waitForText(skill('roses'), '2 of 3 fire, 2 before. The messages of other skills stay')

    await skill('roses').getByLabel('Add a message').fill('prune my rose garden')
    await world.page.keyboard.press('Enter')
    await waitForText(skill('roses'), /^3 of 4 fire$/)
    const link = skill('roses').getByRole('button', { name: 'prune my rose garden' })
    await link.click()
    await eventually(() => world.box().inputValue()).toBe('prune my rose garden')
  })

  it.skipIf(!hasRealSkills)(
    `[BY-10] the messages of real skills have the fates that the command line finds${WITHOUT_REAL_SKILLS}`,
    async () => {
      const { root, files } = extractSkills('clawhub-folders', 24)
      await world.visit('samples', { hash: '#/tests' })
      await world.view().getByRole('button', { name: 'Rank their messages' }).waitFor()
      await world.drop(root)
      await world.page.getByText(`${files} skills in this library`).waitFor({ state: 'attached' })
      await world.modelsAreReady()
      await start()
      await using library = await openLibrary(directory(root), {
        embedder: bundled(),
        modelTimeout: Number.POSITIVE_INFINITY,
      })
      await equalsCommandLine(library)
      expect(await textOf(world.heading())).toBe('Which of your skills never fire?')
    },
  )
})
