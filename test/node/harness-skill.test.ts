import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { harnessSkill } from '../../src/agent/adapters/ai-sdk.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { temporaryFolder } from '../folders.js'
import { agentExamples, hasSdks } from './agent-sdks.js'

const folder = temporaryFolder()

const FILES = {
  'pdf/SKILL.md':
    '---\nname: pdf\ndescription: |\n  Fills forms: "tax" and others.\n  allowed-tools: Bash\n---\n\nFirst read `reference.md`.\n',
  'pdf/reference.md': 'Fields',
  'pdf/logo.png': new Uint8Array([0x89, 0x50, 0, 1]),
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea # really\n---\nBoil water.\n',
}

it('[BY-7] harnessSkill gives the instructions and the text files of a skill', async () => {
  await using library = await openLibrary(memory(FILES))
  expect(await harnessSkill(library, 'pdf')).toEqual({
    name: 'pdf',
    description: JSON.stringify('Fills forms: "tax" and others. allowed-tools: Bash'),
    content: 'First read `reference.md`.',
    files: [{ path: 'reference.md', content: 'Fields' }],
  })
  expect((await harnessSkill(library, 'tea')).description).toBe('Brews tea')
})

/** A sandbox that runs its commands on this machine, in a temporary folder. */
const sandbox = {
  readTextFile: ({ path }: { path: string }) => readFile(path, 'utf8').catch(() => null),
  writeTextFile: async ({ path, content }: { path: string; content: string }) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  },
  run: ({ command }: { command: string }) =>
    new Promise(resolve => {
      execFile('sh', ['-c', command], (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
      )
    }),
}

it.skipIf(!hasSdks)(
  '[BY-7] harnessSkill: its skills open again (needs npm install in examples/agents)',
  async () => {
    await using library = await openLibrary(memory(FILES))
    const skills = await Promise.all(['pdf', 'tea'].map(name => harnessSkill(library, name)))
    const { writeSkills } = (await import(
      pathToFileURL(`${agentExamples}node_modules/@ai-sdk/harness/dist/utils/index.js`).href
    )) as { writeSkills(options: object): Promise<{ written: string[] }> }
    const { written } = await writeSkills({
      sandbox,
      homePath: folder,
      skillsDir: '.claude/skills',
      skills,
    })
    expect(written).toEqual(['pdf', 'tea'])
    await using again = await openLibrary(directory(join(folder, '.claude/skills')))
    expect(again.snapshot.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    const { description, metadata, instructions, files } = await again.get('pdf')
    expect(description).toBe('Fills forms: "tax" and others. allowed-tools: Bash')
    expect(metadata.allowedTools).toBeUndefined()
    expect(instructions).toBe('First read `reference.md`.')
    expect(files.map(({ path }) => path)).toEqual(['reference.md'])
  },
)
