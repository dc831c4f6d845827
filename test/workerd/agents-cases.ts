import {
  type SkillSource as AgentsSkillSource,
  isModelInvocable,
  loadSkillCatalog,
  parseSkill,
  renderSkillResource,
} from 'agents/skills'
import { describe, expect, it } from 'vitest'
import { toAgentsSource } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/library/open-library.js'
import { memory } from '../../src/source/memory.js'
import type { SkillSource } from '../../src/source/source.js'

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
const FILES = {
  'slides/SKILL.md':
    '---\nname: slides\ndescription: "Makes slides: fast."\nlicense: MIT\ncompatibility: any\nmetadata:\n  owner: ann\n  rank: 3\nallowed-tools: Read Write\nteam: design\n---\n\n# Slides\n\nOne idea each.\n',
  'slides/scripts/layout.py': 'print("不")\n',
  'slides/references/style.md': 'One idea each.',
  'slides/assets/logo.bin': BYTES,
  'slides/assets/empty.txt': '',
  'slides/other.txt': '',
}
const skill = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n\n${body}\n`

/** Both adapters with the real cloudflare/agents. */
export function agentsCases(): void {
  describe('toAgentsSource', () => {
    it('lists skills, files and instructions', async () => {
      // Without a cast: the type is inferred from the context.
      const source: AgentsSkillSource = toAgentsSource(await openLibrary(memory(FILES)))
      const catalog = await loadSkillCatalog([source])
      expect(catalog.diagnostics).toEqual([])
      expect(catalog.prompt()).toContain('- slides: Makes slides: fast.')
      const entry = catalog.find('slides')
      expect(entry).toMatchObject({
        sourceId: 'skillshelf',
        skill: {
          name: 'slides',
          description: 'Makes slides: fast.',
          license: 'MIT',
          compatibility: 'any',
          metadata: { owner: 'ann', rank: '3' },
          allowedTools: ['Read', 'Write'],
          extraFields: { team: 'design' },
          body: '# Slides\n\nOne idea each.',
        },
      })
      expect(entry?.resources.map(({ path, kind, encoding, size }) => [path, kind, encoding, size])).toEqual([
        ['assets/empty.txt', 'asset', 'text', 0],
        ['assets/logo.bin', 'asset', 'base64', 70_000],
        ['other.txt', 'file', 'text', 0],
        ['references/style.md', 'reference', 'text', 14],
        ['scripts/layout.py', 'script', 'text', 13],
      ])
      // Equal to the result of the cloudflare/agents parser.
      const own = parseSkill(FILES['slides/SKILL.md'], { directory: 'slides' })
      expect({ ...entry?.skill, body: '' }).toEqual({ ...(own.ok ? own.value : {}), body: '' })
      const activated = catalog.activate('slides')
      expect(activated.ok && activated.value).toContain('One idea each.')
    })

    it('reads files byte for byte', async () => {
      const files = { ...FILES, 'slides/references/latin.txt': Uint8Array.of(0x63, 0xe9) }
      const catalog = await loadSkillCatalog([toAgentsSource(await openLibrary(memory(files)))])
      const script = await catalog.readResource({ path: 'slides/scripts/layout.py' })
      expect(script.ok && renderSkillResource(script.value)).toContain('print("不")')
      const logo = await catalog.readResource({ name: 'slides', path: 'assets/logo.bin' })
      const content = logo.ok ? logo.value.resource.content : ''
      expect(Uint8Array.from(atob(content), letter => letter.charCodeAt(0))).toEqual(BYTES)
      // A text by its name but not by its bytes.
      const latin = await catalog.readResource({ name: 'slides', path: 'references/latin.txt' })
      expect(latin.ok && [latin.value.resource.encoding, atob(latin.value.resource.content)]).toEqual(['base64', 'cé'])
      const missing = await catalog.readResource({ name: 'slides', path: 'assets/none.bin' })
      expect(missing.ok || missing.error._tag).toBe('SkillResourceNotFoundError')
    })

    it('keeps skills with unsupported or duplicate names', async () => {
      const files = {
        'a/SKILL.md': skill('name: notes\ndescription: One.', 'first'),
        'b/SKILL.md': skill('name: notes\ndescription: Two.', 'second'),
        'c/SKILL.md': skill('name: "team/plan"\ndescription: Three.'),
        'deep/er/skill.md': skill('description: Four: nested, in lower case.'),
        'd/SKILL.md': skill('name: hidden\ndescription: Five.\ndisable_model_invocation: true'),
        'e/SKILL.md': skill('name: off\ndescription: Six.\nenabled: false'),
      }
      const source: AgentsSkillSource = toAgentsSource(await openLibrary(memory(files, { name: 'm' })), { id: 'mine' })
      const catalog = await loadSkillCatalog([source])
      expect(catalog.skills.map(entry => entry.skill.name)).toEqual(['notes', 'm-b', 'team-plan', 'er'])
      expect(catalog.diagnostics.map(one => one._tag)).not.toContain('DuplicateSkill')
      expect(catalog.find('m-b')?.skill.body).toBe('second')
      const listed = await source.list()
      const hidden = listed.ok ? listed.value.skills.find(one => one.skill.name === 'hidden') : undefined
      expect(hidden && isModelInvocable(hidden.skill)).toBe(false)
      const renamed = catalog.diagnostics.filter(one => one._tag === 'SkillWarning' && one.name === 'team-plan')
      expect(renamed).toContainEqual(
        expect.objectContaining({ error: expect.objectContaining({ _tag: 'SkillParseError', code: 'invalid-name' }) }),
      )
    })

    it('keeps the other skills when one fails, and reports an unreadable library', async () => {
      const inner = memory({ ...FILES, 'b/SKILL.md': skill('name: b\ndescription: B.'), 'c/SKILL.md': '' })
      let down = ''
      const source: SkillSource = {
        ...inner,
        async read(path, options) {
          if (down && path.startsWith(down)) throw new Error('no route to host')
          return inner.read(path, options)
        },
        async list(options) {
          if (down === '/') throw new Error('no route to host')
          return (await inner.list?.(options)) ?? []
        },
      }
      const library = await openLibrary(source, { strict: false })
      const theirs: AgentsSkillSource = toAgentsSource(library)
      down = 'b/'
      const partly = await loadSkillCatalog([theirs])
      expect(partly.find('slides')?.skill.description).toBe('Makes slides: fast.')
      expect(partly.find('b')).toBeUndefined()
      const invalid = partly.diagnostics.filter(one => one._tag === 'InvalidSkill')
      expect(invalid.map(one => one._tag === 'InvalidSkill' && [one.location, one.error.code])).toContainEqual([
        'memory/b',
        'invalid-frontmatter',
      ])
      down = ''
      expect((await loadSkillCatalog([theirs])).find('b')?.skill.body).toBe('Do it.')

      down = '/'
      const broken = await loadSkillCatalog([toAgentsSource(await openLibrary(source))])
      expect(broken.diagnostics).toMatchObject([
        { _tag: 'SourceFailed', error: { _tag: 'SkillSourceError', operation: 'list', sourceId: 'skillshelf' } },
      ])
      const kept = await loadSkillCatalog([theirs])
      expect(kept.skills.length).toBe(partly.skills.length + 1)
    })

    it('lists changes on the next load, and opens nothing without a change', async () => {
      const source = memory(FILES)
      let reads = 0
      const library = await openLibrary({
        ...source,
        read: (path, options) => {
          reads++
          return source.read(path, options)
        },
      })
      const theirs: AgentsSkillSource = toAgentsSource(library)
      const before = await loadSkillCatalog([theirs])
      reads = 0
      expect((await loadSkillCatalog([theirs])).fingerprint).toBe(before.fingerprint)
      expect(reads).toBe(0)
      const [one, two] = [await theirs.list(), await theirs.list()]
      expect(one.ok && two.ok && one.value === two.value).toBe(true)
      await source.write({ put: { 'b/SKILL.md': skill('name: b\ndescription: B.') } })
      const after = await loadSkillCatalog([theirs])
      expect(after.skills.map(entry => entry.skill.name).sort()).toEqual(['b', 'slides'])
      expect(after.fingerprint).not.toBe(before.fingerprint)
    })
  })
}
