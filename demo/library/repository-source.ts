import { memory, openLibrary, type SkillSource } from 'skillshelf'
import type { Library } from '../context.js'
import { onDiagnostic } from './on-diagnostic.js'

type ListableSource = SkillSource & Required<Pick<SkillSource, 'list'>>
type Reading = ReturnType<SkillSource['read']>

const SKILL_FILE = /(?:^|\/)skill\.md$/i
/** Skills that are fetched at once: GitHub speaks HTTP/2. */
const AT_ONCE = 32

/** Lists a repository once, and fetches each SKILL.md once, ahead of its reads: the page opens the library twice, and shows its skills. */
export function fetchedAhead(source: ListableSource): ListableSource {
  const files = new Map<string, Reading>()
  let listing: ReturnType<ListableSource['list']> | undefined

  const read = (path: string, options?: Parameters<SkillSource['read']>[1]): Reading => {
    const reading = files.get(path) ?? source.read(path, options)
    files.set(path, reading)
    // A failed read is not kept.
    reading.catch(() => files.delete(path))
    return reading
  }
  const fetchSkills = (paths: readonly string[], signal: AbortSignal | undefined): void => {
    let next = 0
    const work = async (): Promise<void> => {
      while (next < paths.length && !signal?.aborted) {
        await read(paths[next++] as string, { signal }).catch(() => undefined)
      }
    }
    for (let worker = 0; worker < AT_ONCE; worker++) void work()
  }
  const list: ListableSource['list'] = options => {
    listing ??= source.list(options).then(entries => {
      fetchSkills(
        entries.map(({ path }) => path).filter(path => SKILL_FILE.test(path)),
        options?.signal,
      )
      return entries
    })
    listing.catch(() => {
      listing = undefined
    })
    return listing
  }
  return {
    ...source,
    list,
    async read(path, options) {
      // Without a request for what is not there, such as a catalog.
      if (!(await list(options)).some(entry => entry.path === path)) return undefined
      return SKILL_FILE.test(path) && !options?.range
        ? read(path, options)
        : source.read(path, options)
    },
  }
}

/** A library of the folders that have a SKILL.md: it finds skills by their names until their texts are there. */
export async function namesOf(source: ListableSource, signal: AbortSignal): Promise<Library> {
  const entries = await source.list({ signal })
  const folders = entries.flatMap(({ path }) =>
    SKILL_FILE.test(path) ? [path.replace(SKILL_FILE, '')] : [],
  )
  const files = folders.map(folder => {
    const name = folder.split('/').at(-1) || source.name
    return [
      `${folder === '' ? '' : `${folder}/`}SKILL.md`,
      `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(folder || name)}\n---\n`,
    ]
  })
  return openLibrary(memory(Object.fromEntries(files), { name: source.name }), {
    embedder: false,
    signal,
    onDiagnostic,
  })
}
