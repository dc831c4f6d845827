import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openseed, openseedOf, tokenDance, tokenDanceOf } from '../../src/exports/dialects.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { callTool, createSession } from '../../src/exports/session.js'
import type { SkillSource } from '../../src/source/source.js'
import { temporaryFolder } from '../folders.js'
import { packFiles } from '../packed-files.js'
import { beforeReads } from '../watch-reads.js'

const skillOf = (body: string): string =>
  `---\nname: parcel\ndescription: Finds a parcel\n---\n${body}\n`
const FILES = {
  'parcel/SKILL.md': skillOf('Ask for the number.'),
  'parcel/scripts/track.py': 'print("on its way")\n',
  'parcel/scripts/label.sh': 'echo label\n',
  'parcel/resources/table.py': 'print(1)\n',
}

/** A source, and what is read of it. */
function recorded(source: SkillSource): { source: SkillSource; reads: string[] } {
  const reads: string[] = []
  const record = beforeReads(source, (path, options) =>
    reads.push(`${path}${options?.ifVersion === undefined ? '' : ' if changed'}`),
  )
  return { reads, source: record }
}

describe('a folder that is not watched', () => {
  let folder: string
  let library: SkillLibrary
  const file = (path: string): string => join(folder, 'skills', path)
  beforeEach(async () => {
    const inSkills = Object.entries(FILES).map(([path, text]) => [`skills/${path}`, text])
    folder = temporaryFolder(Object.fromEntries(inSkills))
    library = await openLibrary(directory(join(folder, 'skills')), { embedder: false })
  })
  afterEach(() => library.close())

  it('[TD-11] an opened skill is read again when its file has changed', async () => {
    expect((await library.get('parcel')).instructions).toBe('Ask for the number.')
    await writeFile(file('parcel/SKILL.md'), skillOf('Ask for the number, and the country.'))
    await writeFile(file('parcel/scripts/weigh.py'), 'print(2)\n')
    const { instructions, files, digest } = await library.get('parcel')
    expect(instructions).toBe('Ask for the number, and the country.')
    expect(files.map(({ path }) => path)).toContain('scripts/weigh.py')
    expect(library.snapshot.skills[0]?.digest).toBe(digest)
    await writeFile(file('parcel/SKILL.md'), skillOf('See forms.md.'))
    await writeFile(file('parcel/forms.md'), '# Forms\n')
    expect((await library.read('parcel', 'forms.md')).text).toBe('# Forms\n')
  })

  it('[TD-11] a session gives the new instructions with the next prompt, and closes what is gone', async () => {
    const session = createSession(library)
    const { text } = await callTool(session, 'load_skill', { skill: 'parcel' })
    const messages = [
      { role: 'user', content: 'Where is it?' },
      { role: 'tool', content: text },
    ]
    expect((await session.prepare({ messages })).tail).toBe('')
    await writeFile(file('parcel/SKILL.md'), skillOf('Ask for the country.'))
    const changed = await session.prepare({ messages })
    expect(changed.tail).toContain('Ask for the country.')
    await rm(file('parcel'), { recursive: true })
    const next = [...changed.messages, { role: 'user', content: 'And now?' }]
    const { closed, tail } = await session.prepare({ messages: next })
    expect(closed).toEqual(['skills/parcel'])
    expect(tail).toContain('parcel is closed')
    await expect(library.get('parcel')).rejects.toMatchObject({ code: 'skill-not-found' })
  })

  it('[OS-5] [TD-8] a script that is gone, or is a link out of the folder by now, has no path', async () => {
    await writeFile(join(folder, 'secret.py'), 'secret')
    const seed = openseedOf(createSession(library, { dialect: openseed }))
    const { loader } = tokenDanceOf(createSession(library, { dialect: tokenDance }))
    const ways: [string, (name: string) => Promise<string>][] = [
      ['scripts/track.py', () => seed.getSkillScriptPath('parcel', 'track.py')],
      ['resources/table.py', () => loader.getResourcePath('parcel', 'table.py')],
    ]
    for (const [path, locate] of ways) {
      expect(await locate(path)).toBe(file(`parcel/${path}`))
      await rm(file(`parcel/${path}`))
      await expect(locate(path)).rejects.toMatchObject({ code: 'resource-not-found' })
      await writeFile(file(`parcel/${path}`), '')
      await library.refresh()
      expect(await locate(path)).toBe(file(`parcel/${path}`))
      await rm(file(`parcel/${path}`))
      await symlink(join(folder, 'secret.py'), file(`parcel/${path}`))
      await expect(locate(path)).rejects.toMatchObject({ code: 'invalid-path' })
    }
  })
})

describe('what is checked', () => {
  it('[TD-11] one conditional read of the SKILL.md, and nothing of a packed library', async () => {
    const tree = recorded(memory(FILES))
    await using library = await openLibrary(tree.source, { embedder: false })
    await library.get('parcel')
    tree.reads.splice(0)
    await library.get('parcel')
    await library.read('parcel', 'scripts/label.sh')
    const check = 'parcel/SKILL.md if changed'
    expect(tree.reads).toEqual([check, check, 'parcel/scripts/label.sh'])

    const packed = recorded(memory(await packFiles(FILES)))
    await using published = await openLibrary(packed.source, { embedder: false })
    const seed = openseedOf(createSession(published, { dialect: openseed }))
    await seed.getSkillContent('parcel')
    packed.reads.splice(0)
    await published.get('parcel')
    expect(await seed.getSkillScriptPath('parcel', 'label.sh')).toContain('scripts/label.sh')
    expect(packed.reads).toEqual([])
  })

  it('[TD-11] a skill that was opened stays while its source does not answer, and waiting for it can be aborted', async () => {
    const source = memory(FILES)
    let isDown = false
    await using library = await openLibrary(
      beforeReads(source, () => {
        if (isDown) throw new Error('down')
      }),
      { embedder: false },
    )
    const opened = await library.get('parcel')
    isDown = true
    expect(await library.get('parcel')).toBe(opened)
    const signal = AbortSignal.abort()
    await expect(library.get('parcel', { signal })).rejects.toMatchObject({ code: 'aborted' })
  })
})
