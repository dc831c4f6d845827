import { expect, it } from 'vitest'
import { createGithubStandIn, type GithubStandIn } from '../github-stand-in.js'
import { describePage, eventually, GARDEN, textOf } from './page-world.js'

const HOSTS = /^https:\/\/(?:api\.github|raw\.githubusercontent)\.com\//

describePage('repositories in the demo page', {}, world => {
  /** Sends the page's requests to GitHub to a stand-in. */
  async function standIn(
    more: Parameters<typeof createGithubStandIn>[0] = {},
  ): Promise<GithubStandIn> {
    world.allow(/^request: https:\/\/(?:api\.github|raw\.githubusercontent)\.com\//)
    world.allow(/^Failed to load resource: the server responded with a status of 40[34]/)
    const own = {
      'team/garden': { ...GARDEN, 'README.md': 'No skill.' },
      'team/bare': { 'a.txt': 'a' },
    }
    const host = createGithubStandIn({ ...own, ...more })
    await world.page.route(HOSTS, async route => {
      const response = await host.fetch(route.request().url(), {
        headers: route.request().headers(),
      })
      await route.fulfill({
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
        headers: { 'access-control-allow-origin': '*' },
        body: Buffer.from(await response.arrayBuffer()),
      })
    })
    return host
  }
  const openRepository = async (repository: string): Promise<void> => {
    await world.page.getByRole('button', { name: 'Open library' }).click()
    await world.page
      .getByRole('textbox', { name: 'URL, owner/name on GitHub, or a path' })
      .fill(repository)
    await world.page.keyboard.press('Enter')
  }

  it('[BY-17] the page opens a GitHub repository, and a link opens the same skill elsewhere', async () => {
    await world.visit('few')
    await standIn()
    await openRepository('team/garden')
    await eventually(() => world.resultNames()).toEqual(['roses', 'tulips'])
    await eventually(() => textOf(world.source())).toBe(
      'From team/garden · Back to the samples · Add more skills',
    )
    await world.ask('prune the roses')
    await world.box().press('Enter')
    await world.skill().getByText('Cut above a bud').waitFor()
    const source = world.skill().getByRole('link', { name: 'Open on GitHub' })
    await eventually(() => source.getAttribute('href')).toBe(
      'https://github.com/team/garden/tree/HEAD/roses',
    )
    await world.page.getByRole('button', { name: 'Copy install command' }).click()
    await world.skill().getByText('Copied', { exact: true }).waitFor()
    expect(await world.clipboard()).toBe('npx skills add team/garden --skill roses')
    await eventually(() => new URL(world.page.url()).hash).toContain('q=prune')
    const { search, hash } = new URL(world.page.url())
    expect(new URLSearchParams(search).get('library')).toBe('github:team/garden')

    await world.visit('few')
    await standIn()
    await world.page.goto(`${world.origin}/few/${search}${hash}`)
    await world.skill().getByText('Cut above a bud').waitFor()
    await eventually(() => world.box().inputValue()).toBe('prune the roses')
    await eventually(() => world.firstName()).toBe('roses')
  })

  it('[BY-17] a repository is searched by the names of its skills while their texts load, and each file is fetched once', async () => {
    await world.visit('few')
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `skills/topic-${index}/SKILL.md`,
        `---\nname: topic-${index}\ndescription: About ${index === 7 ? 'begonias' : 'weeds'}.\n---\nText.\n`,
      ]),
    )
    await standIn({ 'team/topics': files })
    const fetched: string[] = []
    const open: (() => void)[] = []
    let held = true
    await world.page.route(/^https:\/\/raw\.githubusercontent\.com\//, async route => {
      fetched.push(route.request().url())
      if (held) await new Promise<void>(resolve => open.push(resolve))
      await route.fallback()
    })
    await openRepository('team/topics')
    await eventually(() => world.page.locator('#library .item').count()).toBe(60)
    // All at once, not six at a time.
    await eventually(() => open.length).toBeGreaterThan(20)
    await world.ask('topic-7')
    await eventually(world.firstName).toBe('topic-7')
    await world.box().fill('begonias')
    await eventually(() => textOf(world.page.locator('#verdict'))).toContain('Nothing here fits')
    held = false
    for (const one of open) one()
    await eventually(world.firstName).toBe('topic-7')
    await eventually(() => world.box().inputValue()).toBe('begonias')
    await world.modelsAreReady()
    expect(fetched.length).toBe(60)
    expect(new Set(fetched).size).toBe(60)
  })

  it('[BY-17] the URL of a repository or of a folder in it is a library, in the page and in its address', async () => {
    const url = 'https://github.com/team/garden/tree/main/roses'
    await world.visit('few')
    await standIn()
    await world.page.goto(`${world.origin}/few/?library=${encodeURIComponent(url)}#/?q=roses`)
    await eventually(() => world.resultNames()).toEqual(['roses'])
    await world.page.reload()
    await eventually(() => world.resultNames()).toEqual(['roses'])
    expect(new URLSearchParams(new URL(world.page.url()).search).get('library')).toBe(url)
    await world.page.getByRole('button', { name: 'Open library' }).click()
    await world.page.getByRole('textbox', { name: 'URL' }).fill('github.com/team/garden')
    await world.page.keyboard.press('Enter')
    await eventually(() => world.resultNames()).toEqual(['roses', 'tulips'])
    // Names are shown while the library opens.
    const library = () => new URLSearchParams(new URL(world.page.url()).search).get('library')
    await eventually(library).toBe('github.com/team/garden')
    await world.page.goBack()
    await eventually(() => world.resultNames()).toEqual(['roses'])
  })

  it('[BY-17] the page says which repository is missing, has no skill, or is beyond the limit of GitHub', async () => {
    await world.visit('few')
    const host = await standIn()
    await openRepository('team/nothing')
    await world.alert().getByText('GitHub has no public team/nothing').waitFor()
    await openRepository('team/not a repository')
    await world.alert().getByText('“team/not a repository” is not a GitHub repository').waitFor()
    await openRepository('team/bare')
    await world.alert().getByText('No SKILL.md in team/bare').waitFor()
    host.limited = true
    await openRepository('https://github.com/team/garden/tree/main/roses')
    await world.alert().getByText('Without an account it allows 60 an hour.').waitFor()
    host.limited = false
    await world.alert().getByRole('button', { name: 'Try again' }).click()
    await eventually(() => world.resultNames()).toEqual(['roses'])
  })

  it('[BY-17] a skill can be copied and downloaded as a zip, and the library as an MCP configuration', async () => {
    await world.visit('samples', { hash: '#/skill/skills/ppt' })
    const copied = async (button: string, says = /^Copied$/): Promise<string> => {
      await world.skill().getByRole('button', { name: button }).click()
      await world.skill().getByText(says).waitFor()
      return await world.clipboard()
    }
    expect(await copied('Copy SKILL.md')).toMatch(/^---\n(?:.*\n)*---\n\n[\s\S]*工作流程/)
    const prompt = await copied('Copy for a prompt', /^Copied, [\d,]+ tokens$/)
    expect(prompt).toMatch(/^Use this skill: ppt\n\n生成PPT[\s\S]*工作流程/)
    expect(prompt).not.toContain('max_iterations')
    expect(JSON.parse(await copied('Copy MCP configuration'))).toMatchObject({
      mcpServers: {
        skillshelf: { args: ['-y', 'skillshelf', 'mcp', `${world.origin}/samples/skills/`] },
      },
    })
    await eventually(() =>
      world.skill().getByRole('button', { name: 'Copy install command' }).count(),
    ).toBe(0)
    const download = world.page.waitForEvent('download')
    await world.skill().getByRole('button', { name: 'Download zip' }).click()
    expect((await download).suggestedFilename()).toBe('ppt.zip')
  })

  it('[BY-17] a repository comes with messages of its descriptions as examples, each of which finds its skill', async () => {
    await world.visit('samples')
    await standIn()
    await openRepository('team/garden')
    const chips = world.page.locator('#examples button')
    await eventually(() => chips.allTextContents()).toEqual([
      'Prunes roses in the garden',
      'Plants tulip bulbs in autumn',
    ])
    await chips.last().click()
    await eventually(() => world.box().inputValue()).toBe('Plants tulip bulbs in autumn')
    await eventually(world.firstName).toBe('tulips')
    await world.page.getByRole('button', { name: 'Back to the samples' }).click()
    await eventually(() => chips.first().textContent()).toBe('extract the tables from this PDF')
  })

  it('[BY-17] several repositories and a folder are checked together, and a link opens what is public', async () => {
    const shed = { 'shed/SKILL.md': '---\nname: shed\ndescription: Tidies the shed.\n---\nTidy.\n' }
    const tools = {
      'rake/SKILL.md': '---\nname: rake\ndescription: Rakes the leaves.\n---\nRake.\n',
    }
    await world.visit('samples', { hash: '#/listing' })
    await standIn({ 'team/tools': tools })
    await world.view().getByRole('button', { name: 'Check your own skills' }).click()
    const dialog = world.page.getByRole('dialog')
    await dialog
      .getByRole('textbox', { name: 'URL, owner/name on GitHub, or a path' })
      .fill('team/garden team/tools')
    await world.page.keyboard.press('Enter')
    const figure = () => textOf(world.view().locator('.figure'))
    await eventually(figure).toContain('All 3 descriptions are whole')
    const search = () => new URL(world.page.url()).search
    await eventually(() => new URLSearchParams(search()).get('library')).toBe(
      'github:team/garden github:team/tools',
    )
    // A zip beside them.
    await world.view().getByRole('button', { name: 'Add more skills' }).click()
    const choosing = world.page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: 'Choose a zip' }).click()
    await (await choosing).setFiles(await world.writeZip('shed.zip', shed))
    await eventually(figure).toContain('All 4 descriptions are whole')
    await eventually(() => textOf(world.source())).toContain('team/garden, team/tools, shed.zip')
    await world.modelsAreReady()
    await world.view().getByRole('searchbox').fill('tidy up the shed')
    await world.view().getByText('Claude Code lists its whole description.').waitFor()
    expect(new URLSearchParams(search()).get('library')).toBe(
      'github:team/garden github:team/tools',
    )
    await world.page.getByRole('button', { name: 'Copy link' }).click()
    await world.page.getByText('which is on this computer').waitFor()

    const link = world.page.url().split('/samples/')[1]
    await world.visit('samples')
    await standIn({ 'team/tools': tools })
    await world.page.goto(`${world.origin}/samples/${link}`)
    await eventually(figure).toContain('All 3 descriptions are whole')
  })
})
