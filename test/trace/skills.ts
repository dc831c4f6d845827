import fc from 'fast-check'

/** The files of a library, by path: what a library is rebuilt from. */
export type Tree = Readonly<Record<string, string>>

/** A change of a library by one writer. */
export type Change =
  | { kind: 'put'; folder: string; files: Tree }
  | { kind: 'edit'; folder: string; put: Tree; remove: readonly string[] }
  | { kind: 'remove'; folder: string }
  | { kind: 'rename'; folder: string; to: string }

/** One of them lies in another, and two have the same last part. */
export const FOLDERS = ['tea', 'pdf', 'tea/cup', 'team/pdf', 'map']
const TOPICS = [
  ['tea', 'Brews oolong in a pot and pours it.'],
  ['pdf', 'Fills in forms and merges pages of documents.'],
  ['map', 'Plans a route between two towns.'],
] as const
/** What users say. Each finds one topic, two, or none. */
export const MESSAGES = ['brew oolong in a pot', 'merge the pages and plan a route', 'sing a song']
/** Few paths and contents, so that skills share files and are copies of each other. */
const RESOURCES = ['notes.md', 'data/rows.txt']
const CONTENTS = ['one\n', 'two\n']

const skillFile = fc
  .record({
    topic: fc.constantFrom(...TOPICS),
    version: fc.constantFrom(1, 2),
    disabled: fc.boolean().map(value => value),
    tag: fc.boolean(),
  })
  .map(({ topic: [name, description], version, disabled, tag }) =>
    [
      '---',
      `name: ${name}`,
      `description: ${description}`,
      ...(tag ? ['tags: [daily]'] : []),
      ...(disabled && version === 2 ? ['enabled: false'] : []),
      '---',
      `Version ${version} of ${name}.`,
      '',
    ].join('\n'),
  )
const resources = fc.dictionary(fc.constantFrom(...RESOURCES), fc.constantFrom(...CONTENTS), {
  noNullPrototype: true,
})
const folder = fc.constantFrom(...FOLDERS)

export const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(folder, skillFile, resources).map(
      ([folder, text, others]): Change => ({
        kind: 'put',
        folder,
        files: { 'SKILL.md': text, ...others },
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(folder, fc.option(skillFile, { nil: undefined }), resources).map(
      ([folder, text, put]): Change => ({
        kind: 'edit',
        folder,
        put: { ...(text === undefined ? {} : { 'SKILL.md': text }), ...put },
        remove: RESOURCES.filter(path => !(path in put)),
      }),
    ),
  },
  { weight: 2, arbitrary: folder.map((folder): Change => ({ kind: 'remove', folder })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(folder, folder)
      .map(([folder, to]): Change => ({ kind: 'rename', folder, to })),
  },
)

/** The folders of a change. Changes of other folders can be made at the same time. */
export function foldersOf(change: Change): string[] {
  return change.kind === 'rename' ? [change.folder, change.to] : [change.folder]
}

/** The files of one skill, by path in its folder. Those of a skill inside of it are not its own. */
export function filesOf(tree: Tree, folder: string): Tree {
  const inner = FOLDERS.filter(other => other.startsWith(`${folder}/`))
  const files = Object.entries(tree).filter(
    ([path]) => path.startsWith(`${folder}/`) && !inner.some(other => path.startsWith(`${other}/`)),
  )
  return Object.fromEntries(files.map(([path, text]) => [path.slice(folder.length + 1), text]))
}

export function inFolder(folder: string, files: Tree): Tree {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]),
  )
}

/** Whether a library has a skill in a folder. */
export function hasSkill(tree: Tree, folder: string): boolean {
  return `${folder}/SKILL.md` in tree
}

/** Whether a change can be made: it changes a skill that exists, or adds one. */
export function isPossible(tree: Tree, change: Change): boolean {
  return (
    change.kind === 'put' ||
    (hasSkill(tree, change.folder) && !(change.kind === 'rename' && change.folder === change.to))
  )
}

function without(tree: Tree, folder: string): Tree {
  const own = inFolder(folder, filesOf(tree, folder))
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !(path in own)))
}

/** The files after a change. */
export function applied(tree: Tree, change: Change): Tree {
  const { kind, folder } = change
  const rest = without(tree, folder)
  if (kind === 'remove') return rest
  const files = filesOf(tree, folder)
  if (kind === 'put') return { ...rest, ...inFolder(folder, change.files) }
  if (kind === 'rename') return { ...without(rest, change.to), ...inFolder(change.to, files) }
  const kept = Object.entries(files).filter(([path]) => !change.remove.includes(path))
  return { ...rest, ...inFolder(folder, { ...Object.fromEntries(kept), ...change.put }) }
}
