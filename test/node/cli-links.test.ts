import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { cli, skill, temporaryFolder } from './cli-world.js'

/** The commands take links where coding agents and tools make them, and none that was planted in a project. */

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** A home folder with a project, and what is private beside them. */
function world() {
  const top = temporaryFolder({
    'home/shop/.git/HEAD': 'ref: refs/heads/main',
    'home/shop/.agents/skills/hull-paint/SKILL.md': skill(
      'hull-paint',
      'Chooses paint for a hull.',
    ),
    'home/shop/tools/sail/SKILL.md': skill('sail', 'Mends sails.'),
    'home/.agents/skills/own/SKILL.md': skill('own', 'Knows my bank.'),
    'home/dotfiles/tea/SKILL.md': skill('tea', 'Brews tea.'),
    'secrets/SKILL.md': skill('stolen', 'Knows secrets.'),
    'secrets/credentials': 'secret',
  })
  const home = join(top, 'home')
  const shop = join(home, 'shop')
  const run = (...args: string[]) => cli(args, { cwd: shop, env: { HOME: home } })
  return { top, home, shop, run, skills: join(shop, '.claude/skills') }
}

it('[BY-9] list, match, lock, diff, budget and pack follow what npx skills links', async () => {
  const { skills, shop, run } = world()
  link('../../.agents/skills/hull-paint', join(skills, 'hull-paint'))
  for (const args of [
    ['list', '.claude/skills'],
    ['match', 'paint my hull', '--skills', '.claude/skills'],
    ['lock', '.claude/skills'],
    ['budget', '.claude/skills'],
    ['pack', '.claude/skills', '--out', join(shop, 'out')],
  ])
    expect([args[0], (await run(...args)).out]).toEqual([
      args[0],
      expect.stringMatching(args[0] === 'pack' ? /1 skill/ : /hull-paint/),
    ])
  expect((await run('diff', '.claude/skills', '.agents/skills')).out).toMatch(/are the same/)
})

it('[BY-9] a link may lead into the repository, and into folders of skills that the user linked', async () => {
  const { home, skills, run } = world()
  link('../../tools/sail', join(skills, 'sail'))
  expect((await run('list', '.claude/skills')).out).toContain('sail')
  const user = join(home, '.claude/skills')
  link('../../dotfiles/tea', join(user, 'tea'))
  link('../../../.agents/skills/own/SKILL.md', join(user, 'own/SKILL.md'))
  const { out } = await run('list', user)
  expect([out.includes('tea'), out.includes('own')]).toEqual([true, true])
})

it('[BY-9] a link in a skill may lead to another one of the repository, and stow may link files', async () => {
  const { home, shop, skills, run } = world()
  link('../../.agents/skills/hull-paint', join(skills, 'hull-paint'))
  link('../../../tools/sail/SKILL.md', join(shop, '.agents/skills/hull-paint/sail.md'))
  const shown = await run('show', 'hull-paint', '.claude/skills', '--file', 'sail.md')
  expect(shown.out).toContain('Mends sails')
  const user = join(home, '.claude/skills')
  link('../../../dotfiles/tea/SKILL.md', join(user, 'tea/SKILL.md'))
  link('../../../stow/skills/tea/notes', join(user, 'tea/notes'))
  mkdirSync(join(home, 'stow/skills/tea/notes'), { recursive: true })
  writeFileSync(join(home, 'stow/skills/tea/notes/leaf.md'), 'leaves')
  const notes = await run('show', 'tea', user, '--file', 'notes/leaf.md')
  expect(notes.out).toBe('leaves')
})

it('[BY-9] a skill that was cloned into a folder of the user reads nothing of theirs', async () => {
  const { home, run } = world()
  const user = join(home, '.claude/skills')
  mkdirSync(join(home, '.cloud'))
  writeFileSync(join(home, '.cloud/credentials'), 'secret')
  link('../../../dotfiles/tea/SKILL.md', join(user, 'tea/SKILL.md'))
  link('../../../../.cloud/credentials', join(user, 'tea/references/credentials'))
  link('../../../.cloud', join(user, 'tea/.cloud'))
  const { out } = await run('show', 'tea', user)
  expect(out).not.toMatch(/credentials|cloud/)
  for (const file of ['references/credentials', '.cloud/credentials'])
    expect((await run('show', 'tea', user, '--file', file)).out).not.toContain('secret')
})

it('[BY-9] a planted link stays harmless', async () => {
  const { top, home, shop, skills, run } = world()
  link('../../tools/sail', join(skills, 'sail'))
  link(join(top, 'secrets'), join(skills, 'stolen'))
  link(join(top, 'secrets/SKILL.md'), join(skills, 'read/SKILL.md'))
  link(join(home, '.agents/skills/own'), join(skills, 'own'))
  link(join(top, 'secrets'), join(shop, '.github/skills'))
  link('../../.github/skills', join(skills, 'far'))
  const { out } = await run('list', '.claude/skills')
  for (const name of ['stolen', 'own', 'read', 'far']) expect(out).not.toContain(name)
  expect((await run('list', skills, '--json')).out).not.toMatch(/secret|bank/i)
})
