import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { exportSkill } from '../../src/exports/store.js'

const LOGO = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])
const PDF =
  '---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Read\n---\n\nFirst read the form.\n'
const decode = (data: Uint8Array): string => new TextDecoder().decode(data)

describe('exportSkill', () => {
  it('[BY-7] gives every file of a skill in one folder, the SKILL.md first', async () => {
    await using library = await openLibrary(
      memory({
        'tools/pdf-v2/skill.md': PDF,
        'tools/pdf-v2/assets/logo.png': LOGO,
        'tools/pdf-v2/reference.md': 'Fields',
        'tools/pdf-v2/inner/SKILL.md': '---\nname: inner\ndescription: Another skill\n---\nx',
      }),
    )
    const { files, ...skill } = await exportSkill(library, 'pdf')
    expect(skill).toEqual({
      name: 'pdf',
      description: 'Reads PDF files',
      content: 'First read the form.',
    })
    expect(files.map(({ path }) => path)).toEqual([
      'pdf/SKILL.md',
      'pdf/assets/logo.png',
      'pdf/reference.md',
    ])
    expect(decode(files[0]?.data as Uint8Array)).toBe(PDF)
    expect(files[1]?.data).toEqual(LOGO)
  })

  it('[BY-7] gives a skill with another name a name that the specification allows', async () => {
    await using library = await openLibrary(
      memory({
        'a/SKILL.md': '---\nname: "../Deep Research"\ndescription: Researches\n---\nx',
        '周报/SKILL.md': '---\nname: 周报\ndescription: 写周报\n---\nx',
      }),
    )
    const names = await Promise.all(
      library.snapshot.skills.map(({ id }) => exportSkill(library, id)),
    )
    expect(names.map(({ name }) => name).sort()).toEqual([
      'deep-research',
      expect.stringMatching(/^skill-[0-9a-f]{8}$/),
    ])
    for (const { name, files } of names) expect(files[0]?.path).toBe(`${name}/SKILL.md`)
  })

  it('[BY-7] refuses unknown skills, and stops when it is aborted', async () => {
    await using library = await openLibrary(memory({ 'pdf/SKILL.md': PDF, 'pdf/x.md': 'x' }))
    await expect(exportSkill(library, 'none')).rejects.toMatchObject({ code: 'skill-not-found' })
    const aborted = exportSkill(library, 'pdf', { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
  })
})
