import { expect, it } from 'vitest'
import { memory, openLibrary, type SkillId } from '../../src/exports/index.js'
import { collectTriggers, runTriggers } from '../../src/exports/testing.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import { ownMessages } from '../../src/tools/testing/own-messages.js'
import { samples } from '../samples.js'
import { describePage, eventually, packed, textOf, waitForText } from './page-world.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

const TESTED = {
  'roses/SKILL.md':
    '---\nname: roses\ndescription: Prunes roses in the garden. Use when cutting dead wood.\n---\nCut.\n',
  'roses/triggers.yaml': '- message: prune the roses\n- message: plant tulip bulbs\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig.\n',
  'weeds/SKILL.md': '---\nname: weeds\ndescription: Pulls weeds.\n---\nPull.\n',
  'weeds/trigger-evals.json': '[{ "query": "plant bulbs in autumn", "should_trigger": true }]',
}

/** Fates of the messages of each skill: those that fire, those that are first, all. */
async function expectedOf(
  folder: string,
): Promise<{ rows: (string | number)[][]; firing: number; never: number }> {
  await using library = await openLibrary(directory(folder), {
    embedder: bundled(),
    modelTimeout: 60_000,
  })
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
  const equalsCommandLine = async (folder: string): Promise<void> => {
    const { rows, firing, never } = await expectedOf(folder)
    await waitForText(world.view(), `${firing} of ${rows.length} skills fire`)
    await waitForText(world.view(), `${never} never first`)
    await world.view().getByText('Table for a README').click()
    await world.view().getByRole('button', { name: 'Copy: Table for a README' }).click()
    await world.view().getByRole('status').getByText('Copied', { exact: true }).waitFor()
    const lines = (await world.clipboard()).trim().split('\n').slice(2)
    expect(lines.sort()).toEqual(rows.map(cells => `| ${cells.join(' | ')} |`).sort())
    await world.view().getByText('Badge for a README').click()
    await waitForText(world.view(), `skills_that_fire-${firing}%2F${rows.length}-`)
  }

  it('[BY-10] the messages of the samples have the fates that the command line finds', async () => {
    await world.visit('samples')
    await world.page.getByRole('link', { name: 'Which of your skills never fire?' }).click()
    await start()
    await equalsCommandLine(samples)
    await world.expectNoOverflow('firing', [320, 360, 768, 1280, 1920])
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
      const { root, files } = extractSkills('clawhub-folders', 12)
      await world.visit('samples', { hash: '#/tests' })
      await world.view().getByRole('button', { name: 'Rank their messages' }).waitFor()
      await world.drop(root)
      await world.page.getByText(`${files} skills in this library`).waitFor({ state: 'attached' })
      await world.modelsAreReady()
      await start()
      await equalsCommandLine(root)
      expect(await textOf(world.heading())).toBe('Which of your skills never fire?')
    },
  )
})
