import type { Skill, SkillLibrary } from 'skillshelf'
import { diagnosticNotice } from './diagnostics.js'
import { type Child, make } from './dom.js'
import { type FileList, fileList } from './files.js'
import { bytes, count } from './format.js'
import { renderMarkdown } from './markdown.js'

/**
 * A skill, opened: what is always in the prompt, what the model reads when it opens it, what it can ask for then.
 * @param signal Ends its life.
 */
export async function skillView(library: SkillLibrary, skill: Skill, signal: AbortSignal): Promise<Node[]> {
  const files = fileList(skill, path => library.read(skill.id, path, { signal }), signal)
  const sections = [metadataSection(skill), await instructionsSection(skill, files), filesSection(skill, files)]
  const amount = skill.diagnostics.length
  const notices = amount > 0 ? [diagnosticNotice(`${count(amount, 'remark')} on this skill`, skill.diagnostics)] : []
  return [header(skill), ...notices, jumps(sections), ...sections]
}

/** The way back, above whatever is shown of a skill. */
export function closeLink(): HTMLElement {
  return make('a', { class: 'close', href: '#/' }, 'Back to the shelf')
}

function header(skill: Skill): HTMLElement {
  const { version, author, license, compatibility } = skill.metadata
  const facts = [
    version && `version ${version}`,
    author && `by ${author}`,
    license && `licence ${license}`,
    compatibility && `needs ${compatibility}`,
  ].filter(fact => typeof fact === 'string')
  return make(
    'header',
    { class: 'head' },
    make('h2', { id: 'skill-name', tabindex: '-1', dir: 'auto' }, skill.displayName ?? skill.name),
    make('p', { class: 'identity' }, make('code', {}, skill.id)),
    make('p', { class: 'lead', dir: 'auto' }, skill.description),
    skill.tags.length > 0 &&
      make('ul', { class: 'tags', 'aria-label': 'Tags' }, ...skill.tags.map(tag => make('li', {}, tag))),
    facts.length > 0 && make('p', { class: 'quiet' }, facts.join(' · ')),
  )
}

function metadataSection(skill: Skill): HTMLElement {
  return section(
    'Metadata',
    `${count(skill.tokens.metadata, 'token')}, always in the prompt`,
    make(
      'details',
      {},
      make('summary', {}, 'Front matter as written'),
      skill.frontmatter.trim() === ''
        ? make('p', { class: 'quiet' }, `${skill.file} has none.`)
        : make('pre', { tabindex: '0', 'aria-label': 'Front matter' }, skill.frontmatter),
    ),
  )
}

async function instructionsSection(skill: Skill, files: FileList): Promise<HTMLElement> {
  const paths = new Set(skill.files.map(file => file.path))
  const options = { hasFile: (path: string) => paths.has(path), openFile: files.open }
  // Where the renderer cannot be loaded the text still can be read.
  const content = await renderMarkdown(skill.instructions, options).catch(() => make('pre', {}, skill.instructions))
  return section(
    'Instructions',
    `${count(skill.tokens.instructions, 'token')}, read when the skill is opened`,
    skill.instructions === ''
      ? make('p', { class: 'quiet' }, 'There are none.')
      : make('div', { class: 'prose', dir: 'auto' }, content),
  )
}

function filesSection(skill: Skill, { element }: FileList): HTMLElement {
  const size = skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0)
  const amount = count(skill.files.length, 'file')
  return section(
    'Files',
    skill.files.length === 0 ? 'none' : `${amount}, ${bytes(size)}, each read when it is asked for`,
    element,
  )
}

function section(title: string, fact: string, ...children: readonly Child[]): HTMLElement {
  const heading = make('h3', { tabindex: '-1' }, title)
  return make(
    'section',
    { class: 'level', 'data-title': title, 'aria-label': title },
    make('div', { class: 'level-head' }, heading, make('p', { class: 'quiet' }, fact)),
    ...children,
  )
}

/** Buttons that lead to the sections: the instructions can be long, and `#` addresses are the page's own. */
function jumps(sections: readonly HTMLElement[]): HTMLElement {
  return make(
    'nav',
    { class: 'jumps', 'aria-label': 'Parts of the skill' },
    ...sections.map(target => {
      const button = make('button', { type: 'button' }, target.dataset['title'])
      button.addEventListener('click', () => {
        target.scrollIntoView({ block: 'start' })
        target.querySelector('h3')?.focus({ preventScroll: true })
      })
      return button
    }),
  )
}
