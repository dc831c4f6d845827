/** A path: segments with separators. No segment can be divided in two ways, and no match begins inside another, so the time is linear. */
const PATH =
  /(?<![\w/:.\\@~+-])(@?(?:[A-Za-z]:[\\/]|~[\\/]|\.{1,2}[\\/]|\/)?)((?:[\w.@~+-]+[\\/])*)([\w.@~+-]*)/g
const SEPARATOR = /[\\/]/
const EXTENSION = /\.([A-Za-z]\w{0,7})$/
const DOMAIN = /^(?:[\w-]+\.)+[A-Za-z]{2,}[\\/]/

/** A text without its paths. */
export interface WithoutPaths {
  /** The text, with the extension of each path in its place: the kind of a file is part of what is asked. */
  text: string
  /** The text without the extensions. */
  rest: string
  paths: string[]
}

/** Takes the paths out of a text: `/home/ada/rope.jpg`, `@src/tax.ts`, `C:\a.docx`. URLs, package names and "and/or" stay. */
export function withoutPaths(text: string): WithoutPaths {
  if (!SEPARATOR.test(text)) return { text, rest: text, paths: [] }
  const paths: string[] = []
  const replace = (extensionOf: (path: string) => string): string =>
    text.replace(PATH, (path: string, root: string, folders: string, name: string) =>
      isPath({ root, folders, name }) ? extensionOf(path) : path,
    )
  const replaced = replace(path => {
    paths.push(path)
    return EXTENSION.exec(path)?.[0] ?? ''
  })
  return { text: replaced, rest: paths.length === 0 ? text : replace(() => ''), paths }
}

function isPath({ root, folders, name }: { root: string; folders: string; name: string }): boolean {
  if (folders === '' && (root === '' || root === '@')) return false
  const hasExtension = EXTENSION.test(name)
  const segments = folders.split(SEPARATOR).length - 1 + (name === '' ? 0 : 1)
  // A scope of a package, such as `@vue/test-utils`.
  if (root === '@') return hasExtension || segments > 2
  // Two names, such as React/Next.js.
  if (root === '' && segments === 2 && /^[A-Z]/.test(folders)) return false
  if (root === '') return hasExtension && !DOMAIN.test(folders)
  // A command, such as `/review`, has one segment.
  return hasExtension || segments > 1 || !root.endsWith('/') || root.length > 1
}
