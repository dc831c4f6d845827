import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { invalidInput } from '../../core/errors.js'

/** As deep in `dist` as in `src`. */
const PACKAGE = new URL('../../../', import.meta.url)
export const PACKAGE_FOLDER = fileURLToPath(PACKAGE)

/** The files of the package that a page without a bundler loads. Scripts find the model by this layout. */
const FOLDERS = [
  { kind: 'scripts', folder: 'dist/browser', names: /./ },
  { kind: 'model', folder: 'model', names: /\.bin$/ },
  { kind: 'rows of the model', folder: 'model/rows', names: /\.bin$/ },
] as const

/** A file for a host of static files. */
export interface BrowserFile {
  kind: (typeof FOLDERS)[number]['kind']
  /** Relative to the package, and to the folder on the host. */
  path: string
  bytes: Uint8Array
}

/** @throws SkillshelfError `invalid-input` in a clone that is not built */
export async function readBrowserFiles(): Promise<BrowserFile[]> {
  const files: BrowserFile[] = []
  for (const { kind, folder, names } of FOLDERS) {
    const found = await readdir(new URL(folder, PACKAGE)).catch(() => [])
    const wanted = found.filter(name => names.test(name)).sort()
    if (wanted.length === 0) {
      throw invalidInput(
        `The package has no ${folder}`,
        'install it again; in a clone of the repository, run `npm run build`',
      )
    }
    for (const name of wanted) {
      const path = `${folder}/${name}`
      files.push({ kind, path, bytes: await readFile(new URL(path, PACKAGE)) })
    }
  }
  return files
}
