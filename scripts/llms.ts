/** Writes llms.txt, the index of the documentation in the package, for agents that read `node_modules`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './exports.js'

const pages = readdirSync(join(root, 'docs'))
  .filter(file => file.endsWith('.md') && file !== 'index.md')
  .map(file => {
    const text = readFileSync(join(root, 'docs', file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
    const [, title = file] = /^# (.*)$/m.exec(text) ?? []
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, section = '']) =>
      section.replaceAll('`', ''),
    )
    return `- [${title}](docs/${file})${sections.length === 0 ? '' : `: ${sections.join(', ')}`}`
  })
const { name, description } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<string, string>
const types =
  '`dist/exports` has a `.d.ts` file per import path. The files that it names document each function.'
writeFileSync(
  join(root, 'llms.txt'),
  `# ${name}\n\n> ${description}\n\n${types}\n\n## Guides\n\n${pages.join('\n')}\n`,
)
