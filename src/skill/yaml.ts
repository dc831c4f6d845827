import { onDemand } from '../core/load-module.js'
import type { Diagnostic } from './diagnostics.js'
import type { FrontmatterFields } from './yaml-document.js'

/** With the `yaml` package, which a packed library does not need. */
const loadReader = onDemand(() => import('./yaml-reader.js'))

/**
 * Reads a frontmatter. What is not valid YAML is read as its author meant it, and reported.
 * @param line The first line of the frontmatter in the file, from 1.
 */
export async function readYaml(
  frontmatter: string,
  line: number,
): Promise<FrontmatterFields & { diagnostics: Diagnostic[] }> {
  const { readFrontmatter } = await loadReader()
  return readFrontmatter(frontmatter, line)
}
