import { estimateTokens, type Skill } from 'skillshelf'
import { exportSkill } from 'skillshelf/store'
import type { PageContext } from '../context.js'
import { make, makeButton } from '../dom.js'
import { saveAs } from '../save-as.js'
import { texts } from '../texts.js'

const GITHUB = 'https://github.com/'

/**
 * Buttons that take a skill out of the page: copy it or the command that installs it, download it, open its source.
 * @param signal Aborts when the view is closed.
 */
export function skillActions(context: PageContext, skill: Skill, signal: AbortSignal): HTMLElement {
  const labels = texts.skillActions
  const status = make('span', { class: 'muted', role: 'status' })
  const copy = (label: string, text: string, copied: string = labels.copied): HTMLElement =>
    makeButton(label, () => {
      // `navigator.clipboard` is missing in insecure contexts.
      const copying =
        navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('No clipboard'))
      copying.then(
        () => {
          status.textContent = copied
        },
        () => {
          status.textContent = labels.blocked
        },
      )
    })
  const download = async (): Promise<void> => {
    status.textContent = labels.packing
    const { writeArchive } = await import('skillshelf/sources')
    const { name, files } = await exportSkill(context.library, skill.id, { signal })
    const contents = Object.fromEntries(files.map(({ path, data }) => [path, data]))
    const zip = await writeArchive(contents, { format: 'zip' })
    saveAs(new Blob([zip], { type: 'application/zip' }), `${name}.zip`)
    status.textContent = ''
  }
  const prompt = promptText(skill)
  const { location } = context
  const address =
    location.kind === 'samples'
      ? context.samples.href
      : location.kind === 'address'
        ? location.address
        : undefined
  return make(
    'div',
    { class: 'buttons skill-actions', role: 'group', 'aria-label': labels.title },
    copy(labels.copySkill, skillText(skill)),
    copy(labels.copyPrompt, prompt, labels.copiedTokens(estimateTokens(prompt))),
    location.kind === 'github' &&
      copy(
        labels.copyInstall,
        `npx skills add ${location.repository} --skill ${quote(skill.name)}`,
      ),
    address !== undefined && copy(labels.copyMcp, mcpConfiguration(address)),
    makeButton(labels.download, () => {
      download().catch(() => {
        if (!signal.aborted) status.textContent = labels.failed
      })
    }),
    skill.root.startsWith(GITHUB) &&
      make(
        'a',
        { class: 'button', href: skill.root, target: '_blank', rel: 'noopener noreferrer' },
        labels.openSource,
      ),
    status,
  )
}

function skillText({ frontmatter, instructions }: Skill): string {
  return frontmatter.trim() === ''
    ? instructions
    : `---\n${frontmatter.trim()}\n---\n\n${instructions}`
}

/** The skill as one text for the prompt of any model. */
function promptText({ name, description, instructions, files, root }: Skill): string {
  const readable = root.startsWith('http') && files.length > 0
  const listed = readable ? files.map(({ path }) => `- ${path}`) : []
  return [
    `Use this skill: ${name}`,
    description,
    instructions.trim(),
    readable ? `Its files, below ${root}:\n${listed.join('\n')}` : '',
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Names of skills may hold anything, and the command is pasted into a shell. */
function quote(name: string): string {
  return /^[\w-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`
}

function mcpConfiguration(address: string): string {
  const server = { command: 'npx', args: ['-y', 'skillshelf', 'mcp', address] }
  return JSON.stringify({ mcpServers: { skillshelf: server } }, null, 2)
}
