import type { Skill } from 'skillshelf'
import type { PageContext } from '../context.js'
import { costBars } from '../cost-bars.js'
import { diagnosticList } from '../diagnostics-list.js'
import { type Child, make, makeButton } from '../dom.js'
import { descriptionOf, nameOf } from '../names.js'
import { addHighlights, removeHighlights } from '../search/highlight.js'
import { saidTerms } from '../search/why.js'
import { texts } from '../texts.js'
import { replaceFile } from '../url.js'
import { viewHash } from '../view-names.js'
import type { ContextUsage } from '../views/context-usage.js'
import { type FileList, fileList } from './file-list.js'
import { renderMarkdown } from './markdown.js'
import { skillActions } from './skill-actions.js'

/**
 * A skill in three levels: metadata, instructions, files.
 * @param signal Aborts when the view is closed.
 */
export async function skillView(
  context: PageContext,
  usage: ContextUsage,
  skill: Skill,
  signal: AbortSignal,
): Promise<{ content: readonly Node[]; openFile(path: string): void }> {
  const read = async (path: string) => {
    const file = await context.library.read(skill.id, path, { signal })
    usage.readFile(file)
    return file
  }
  const onFile = (path: string | undefined): void => replaceFile(skill.id, path)
  const files = fileList(skill.files, read, onFile, signal)
  const head = header(skill)
  const instructions = await instructionsSection(skill, files, signal)
  if (!signal.aborted) usage.openSkill(skill)
  highlightMatches(context, skill, [head, instructions], signal)
  const actions = skillActions(context, skill, signal)
  const metadata = metadataSection(skill)
  const filesShown = filesSection(skill, files)
  const { diagnostics } = skill
  const notices =
    diagnostics.length > 0
      ? [diagnosticList(texts.skill.diagnostics(diagnostics.length), diagnostics)]
      : []
  const links = sectionLinks([metadata, instructions, filesShown])
  const cost = costLine(context, usage, signal)
  const text = make(
    'div',
    { class: 'skill-text' },
    head,
    actions,
    cost,
    ...notices,
    links,
    metadata,
    instructions,
  )
  return {
    content: [make('div', { class: 'skill' }, text, filesShown)],
    openFile: files.open,
  }
}

/** Highlights the words for which the skill matches the message, after every search. */
function highlightMatches(
  context: PageContext,
  skill: Skill,
  parts: readonly Element[],
  signal: AbortSignal,
): void {
  const elements = parts.flatMap(part => [...part.querySelectorAll('.lead, .prose')])
  const update = async (): Promise<void> => {
    const message = context.message()
    const terms =
      message.trim() === ''
        ? []
        : saidTerms((await context.library.explain(message, skill.id, { signal })).signals).map(
            ({ term }) => term,
          )
    if (signal.aborted || message !== context.message()) return
    for (const element of elements) {
      removeHighlights(element)
      if (terms.length > 0) addHighlights(element, terms)
    }
  }
  const updateSafely = (): void => void update().catch(() => {})
  context.onSearch(updateSafely, signal)
  updateSafely()
}

function header(skill: Skill): HTMLElement {
  const { version, author, license, compatibility, requires } = skill.metadata
  const facts = [
    version && texts.skill.version(version),
    author && texts.skill.author(author),
    license && texts.skill.license(license),
    compatibility && texts.skill.compatibility(compatibility),
    requires && texts.skill.compatibility(requires.join(', ')),
  ].filter(fact => typeof fact === 'string')
  return make(
    'header',
    { class: 'head' },
    make('h2', { id: 'skill-name', tabindex: '-1', dir: 'auto' }, nameOf(skill)),
    make('p', { class: 'identity' }, make('code', {}, skill.id)),
    make('p', { class: 'lead', dir: 'auto' }, descriptionOf(skill)),
    skill.tags.length > 0 &&
      make(
        'ul',
        { class: 'tags', 'aria-label': texts.skill.tags },
        ...skill.tags.map(tag => make('li', {}, tag)),
      ),
    facts.length > 0 && make('p', { class: 'muted' }, facts.join(' · ')),
  )
}

/** The tokens of the skill in the context, by three ways. */
function costLine(context: PageContext, usage: ContextUsage, signal: AbortSignal): HTMLElement {
  const element = make('div', { class: 'cost-line' })
  const update = (): void => {
    const costs = usage.costs(context.library.snapshot.skills)
    element.replaceChildren(
      costBars(costs, texts.costs, texts.number, texts.costs.title),
      make('a', { href: viewHash('tokens') }, texts.skill.compare),
    )
  }
  usage.onChange(update, signal)
  update()
  return element
}

function metadataSection(skill: Skill): HTMLElement {
  return section(
    texts.skill.metadata,
    texts.skill.metadataCost(skill.tokens.metadata),
    make(
      'details',
      {},
      make('summary', {}, texts.skill.frontmatterSource),
      skill.frontmatter.trim() === ''
        ? make('p', { class: 'muted' }, texts.skill.noFrontmatter(skill.file))
        : make(
            'pre',
            { tabindex: '0', role: 'group', 'aria-label': texts.skill.frontmatter },
            skill.frontmatter,
          ),
    ),
  )
}

async function instructionsSection(
  skill: Skill,
  files: FileList,
  signal: AbortSignal,
): Promise<HTMLElement> {
  const paths = new Set(skill.files.map(file => file.path))
  const options = { hasFile: (path: string) => paths.has(path), openFile: files.open, signal }
  return section(
    texts.skill.instructions,
    texts.skill.instructionsCost(skill.tokens.instructions),
    skill.instructions === ''
      ? make('p', { class: 'muted' }, texts.skill.noInstructions)
      : prose(await renderMarkdown(skill.instructions, options)),
  )
}

function prose(content: Node): HTMLElement {
  const element = make('div', { class: 'prose' }, content)
  // S6: set before, it would be determined anew for every child.
  element.dir = 'auto'
  return element
}

function filesSection(skill: Skill, { element }: FileList): HTMLElement {
  const size = skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0)
  return section(
    texts.skill.files,
    skill.files.length === 0
      ? texts.skill.noFiles
      : texts.skill.filesSummary(skill.files.length, size),
    element,
  )
}

function section(title: string, summary: string, ...children: readonly Child[]): HTMLElement {
  const heading = make('h3', { tabindex: '-1' }, title)
  return make(
    'section',
    { class: 'level', 'data-title': title, 'aria-label': title },
    make('div', { class: 'level-head' }, heading, make('p', { class: 'muted' }, summary)),
    ...children,
  )
}

/** Buttons that scroll to the sections. Links cannot, because the hash names the open skill. */
function sectionLinks(sections: readonly HTMLElement[]): HTMLElement {
  return make(
    'nav',
    { class: 'section-links', 'aria-label': texts.skill.sections },
    ...sections.map(target => {
      const scroll = (): void => {
        target.scrollIntoView({ block: 'start' })
        target.querySelector('h3')?.focus({ preventScroll: true })
      }
      return makeButton(target.dataset['title'] ?? '', scroll, { class: undefined })
    }),
  )
}
