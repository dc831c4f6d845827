import { namedTerms, type Skill } from 'skillshelf'
import type { Desk } from './desk.js'
import { diagnosticNotice } from './diagnostics.js'
import { type Child, make } from './dom.js'
import { type FileList, fileList } from './files.js'
import { percent } from './format.js'
import { inlinedTokens, type Ledger, savedShare } from './ledger.js'
import { renderMarkdown } from './markdown.js'
import { light, unlight } from './marks.js'
import { viewHash } from './route.js'
import { texts } from './texts.js'

/**
 * A skill, opened: what is always in the prompt, what the model reads when it opens it, what it can ask for then.
 * @param signal Ends its life.
 */
export async function skillView(desk: Desk, ledger: Ledger, skill: Skill, signal: AbortSignal): Promise<Node[]> {
  const read = async (path: string) => {
    const file = await desk.library.read(skill.id, path, { signal })
    ledger.readFile(file)
    return file
  }
  const files = fileList(skill.files, read, signal)
  const head = header(skill)
  const instructions = await instructionsSection(skill, files)
  if (!signal.aborted) ledger.openSkill(skill)
  keepLit(desk, skill, [head, instructions], signal)
  const sections = [metadataSection(skill), instructions, filesSection(skill, files)]
  const amount = skill.diagnostics.length
  const notices = amount > 0 ? [diagnosticNotice(texts.skill.remarks(amount), skill.diagnostics)] : []
  return [head, costLine(desk, ledger, signal), ...notices, jumps(sections), ...sections]
}

/** Lights up the words for which the skill matches, and others as the message changes. */
function keepLit(desk: Desk, skill: Skill, parts: readonly Element[], signal: AbortSignal): void {
  const { message, onAnswer } = desk
  const places = parts.flatMap(part => [...part.querySelectorAll('.lead, .prose')])
  const update = async (): Promise<void> => {
    const asked = message()
    const terms =
      asked.trim() === ''
        ? []
        : namedTerms((await desk.library.explain(asked, skill.id, { signal })).signals).map(({ term }) => term)
    if (signal.aborted || asked !== message()) return
    for (const place of places) {
      unlight(place)
      if (terms.length > 0) light(place, terms)
    }
  }
  const updateSafely = (): void => void update().catch(() => {})
  onAnswer(updateSafely, signal)
  updateSafely()
}

function header(skill: Skill): HTMLElement {
  const { version, author, license, compatibility } = skill.metadata
  const facts = [
    version && texts.skill.version(version),
    author && texts.skill.author(author),
    license && texts.skill.license(license),
    compatibility && texts.skill.compatibility(compatibility),
  ].filter(fact => typeof fact === 'string')
  return make(
    'header',
    { class: 'head' },
    make('h2', { id: 'skill-name', tabindex: '-1', dir: 'auto' }, skill.displayName ?? skill.name),
    make('p', { class: 'identity' }, make('code', {}, skill.id)),
    make('p', { class: 'lead', dir: 'auto' }, skill.description),
    skill.tags.length > 0 &&
      make('ul', { class: 'tags', 'aria-label': texts.skill.tags }, ...skill.tags.map(tag => make('li', {}, tag))),
    facts.length > 0 && make('p', { class: 'quiet' }, facts.join(' · ')),
  )
}

/** What the context pays by now, against everything inlined. */
function costLine(desk: Desk, ledger: Ledger, signal: AbortSignal): HTMLElement {
  const line = make('p', { class: 'cost-line quiet' })
  const update = (): void => {
    const { skills } = desk.library.snapshot
    const now = ledger.now(skills)
    const all = inlinedTokens(skills)
    const saved = savedShare(now, all)
    line.replaceChildren(
      ...texts.skill.cost(now, all),
      ' · ',
      make('strong', {}, saved > 0 ? texts.cost.saved(percent(saved)) : texts.cost.notSaved),
      ' · ',
      make('a', { href: viewHash('tokens') }, texts.skill.costMore),
    )
  }
  ledger.onChange(update, signal)
  update()
  return line
}

function metadataSection(skill: Skill): HTMLElement {
  return section(
    texts.skill.metadata,
    texts.skill.metadataFact(skill.tokens.metadata),
    make(
      'details',
      {},
      make('summary', {}, texts.skill.frontMatterAsWritten),
      skill.frontmatter.trim() === ''
        ? make('p', { class: 'quiet' }, texts.skill.noFrontMatter(skill.file))
        : make('pre', { tabindex: '0', role: 'group', 'aria-label': texts.skill.frontMatter }, skill.frontmatter),
    ),
  )
}

async function instructionsSection(skill: Skill, files: FileList): Promise<HTMLElement> {
  const paths = new Set(skill.files.map(file => file.path))
  const options = { hasFile: (path: string) => paths.has(path), openFile: files.open }
  // Where the renderer cannot be loaded the text still can be read.
  const content = await renderMarkdown(skill.instructions, options).catch(() => make('pre', {}, skill.instructions))
  return section(
    texts.skill.instructions,
    texts.skill.instructionsFact(skill.tokens.instructions),
    skill.instructions === ''
      ? make('p', { class: 'quiet' }, texts.skill.noInstructions)
      : make('div', { class: 'prose', dir: 'auto' }, content),
  )
}

function filesSection(skill: Skill, { element }: FileList): HTMLElement {
  const size = skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0)
  return section(
    texts.skill.files,
    skill.files.length === 0 ? texts.skill.noFiles : texts.skill.filesFact(skill.files.length, size),
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
    { class: 'jumps', 'aria-label': texts.skill.parts },
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
