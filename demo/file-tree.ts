import type { SkillFileInfo } from 'skillshelf'

/** A folder of a skill. */
export interface FileFolder {
  folders: Map<string, FileFolder>
  files: SkillFileInfo[]
  /** Files in it, at any depth. */
  amount: number
}

/** The files of a skill as they lie in its folders. */
export function fileTree(files: readonly SkillFileInfo[]): FileFolder {
  const root = emptyFolder()
  for (const file of files) {
    let folder = root
    folder.amount++
    for (const name of file.path.split('/').slice(0, -1)) {
      const next = folder.folders.get(name) ?? emptyFolder()
      folder.folders.set(name, next)
      folder = next
      folder.amount++
    }
    folder.files.push(file)
  }
  return root
}

function emptyFolder(): FileFolder {
  return { folders: new Map(), files: [], amount: 0 }
}
