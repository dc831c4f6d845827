import type { Plugin } from 'vite'

/** A file that only passes on what another one has. */
const FACADE = /^(?:import"\.\/[^"]+";)*export\{([^}]*)\}from"\.\/([^"]+)";?\s*$/

/**
 * Removes the files that only pass on what the file of their group has: each would be a request before the request for its group.
 * Modules that load on demand get one where others import more of their file.
 */
export const facades: Plugin = {
  name: 'facades',
  apply: 'build',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(file => file.type === 'chunk')
    for (const facade of chunks) {
      const [, names, target] = FACADE.exec(facade.code) ?? []
      const isImported = chunks.some(({ imports }) => imports.includes(facade.fileName))
      if (names === undefined || facade.isEntry || isImported) continue
      // `t as count`: the file of the group has it as `t`.
      const passed = names.split(',').map(name => {
        const [from, to = from] = name.split(' as ')
        return `${to}:m.${from}`
      })
      const file = facade.fileName.replace(/.*\//, '')
      for (const chunk of chunks) {
        chunk.code = chunk.code.replaceAll(
          new RegExp(`import\\(([\`"'])\\./${file}\\1\\)`, 'g'),
          `import("./${target}").then(m=>({${passed.join()}}))`,
        )
      }
      delete bundle[facade.fileName]
    }
  },
}
