import type { SkillLibrary } from 'skillshelf'
import type { TriggerFile, TriggerOutcome, TriggerReport } from 'skillshelf/testing'
import { ownMessages } from '../../src/tools/testing/own-messages.js'
import { anySignal } from '../any-signal.js'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { type Child, make, makeButton } from '../dom.js'
import { percent, THRESHOLD } from '../format.js'
import { texts } from '../texts.js'
import { yielding } from '../yielding.js'
import { answeredOnce } from './answered-once.js'
import heldOut from './held-out.yaml?raw'

const EXAMPLE =
  '- message: make slides about our launch\n- message: tell me a joke\n  skill: none\n'

/** Ranks the messages of each skill in the page, and runs the trigger tests of the library. */
export function testsView(context: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const labels = texts.tests
  const run = makeButton(texts.firing.run, () => void start(), { class: 'button primary' })
  const stop = makeButton(labels.stop, () => running?.abort(), { hidden: '' })
  const bar = make('progress', { max: '1', 'aria-label': labels.progress, hidden: '' })
  const status = make('p', { role: 'status' })
  const firing = make('div')
  const report = make('div', { class: 'report' })
  let running: AbortController | undefined

  const start = async (): Promise<void> => {
    running = new AbortController()
    const stopped = anySignal(signal, running.signal)
    firing.replaceChildren()
    report.replaceChildren()
    status.textContent = labels.reading
    run.hidden = true
    stop.hidden = bar.hidden = false
    bar.removeAttribute('value')
    stop.focus()
    try {
      const [{ collectTriggers, readTriggers, runTriggers }, { checkSkills }, { firingSection }] =
        await Promise.all([
          import('skillshelf/testing'),
          import('./firing.js'),
          import('./firing-list.js'),
        ])
      const own = await collectTriggers(context.library, { signal: stopped })
      const samples = { ...readTriggers(heldOut, 'held-out.yaml'), owner: undefined }
      const apart = isAbout(samples, context.library) ? [samples] : []
      const byId = ownMessages(context.library, own)
      const messages = [...own, ...apart].flatMap(({ cases }) =>
        cases.map(({ message }) => message),
      )
      const ofSkills = [...byId.values()].flat().map(({ message }) => message)
      const total = messages.length + ofSkills.length
      await context.prepareModel([...messages, ...ofSkills])
      let before = 0
      const show = (done: number): void => {
        bar.value = (before + done) / total
        status.textContent = labels.running(before + done, total)
      }
      const library = answeredOnce(yielding(context.library))
      const checked = await checkSkills(library, byId, { signal: stopped, onProgress: show })
      before += ofSkills.length
      firing.replaceChildren(firingSection(context, checked, signal))
      const test = async (files: readonly TriggerFile[]): Promise<TriggerReport> => {
        const result = await runTriggers(library, files, {
          threshold: THRESHOLD,
          signal: stopped,
          onProgress: ({ done }) => show(done),
        })
        before += result.cases.length
        return result
      }
      const examples = await test(own)
      const others = apart.length > 0 && (await test(apart))
      status.textContent = labels.finished(new Set([...messages, ...ofSkills]).size)
      report.replaceChildren(
        ...(own.length > 0
          ? [section(labels.own, labels.ownMeaning, examples, context)]
          : [make('p', {}, labels.none), make('pre', {}, EXAMPLE)]),
        ...(others ? [section(labels.heldOut, labels.heldOutMeaning, others, context)] : []),
      )
    } catch (error) {
      if (signal.aborted) return
      status.textContent = stopped.aborted ? labels.stopped : labels.failed
      if (!stopped.aborted) {
        report.replaceChildren(make('p', { class: 'muted', lang: 'en' }, String(error)))
      }
    }
    const focused = document.activeElement === stop
    run.textContent = labels.again
    run.hidden = false
    stop.hidden = bar.hidden = true
    if (focused) run.focus()
  }
  return {
    title: texts.firing.title,
    content: [
      make('h2', { tabindex: '-1' }, texts.firing.title),
      make('p', { class: 'lead' }, texts.firing.lead),
      make('div', { class: 'run' }, run, stop, bar, status),
      firing,
      report,
    ],
  }
}

/** Whether a library has every skill that the cases name. */
function isAbout({ cases }: TriggerFile, { snapshot }: SkillLibrary): boolean {
  const names = new Set(snapshot.skills.map(({ name }) => name))
  return cases.every(({ skills = [] }) => skills.every(name => names.has(name)))
}

/** What a run found. It lists the failed messages until the user asks for all. */
function section(
  title: string,
  meaning: string,
  { summary, cases, problems }: TriggerReport,
  context: PageContext,
): HTMLElement {
  const labels = texts.tests
  const { positive, first, above, none, abstained } = summary
  const failed = cases.filter(({ passed }) => !passed)
  const body = make('tbody', { role: 'rowgroup' })
  const table = make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': labels.results(title) },
    make(
      'table',
      { class: 'cases', role: 'table' },
      make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...columns())),
      body,
    ),
  )
  let all = false
  const toggle = makeButton('', () => show(!all))
  const show = (next: boolean): void => {
    all = next
    const shown = all ? cases : failed
    body.replaceChildren(...shown.map(outcome => row(outcome, context)))
    table.hidden = shown.length === 0
    toggle.textContent = all ? labels.onlyFailed : labels.all(cases.length)
  }
  show(false)
  return make(
    'section',
    { 'aria-label': title },
    make('h3', {}, title),
    make('p', { class: 'muted' }, `${labels.passed(summary.passed, summary.total)} `, meaning),
    make(
      'dl',
      { class: 'figures' },
      positive > 0 && figure(labels.first, first, positive, labels.firstMeaning),
      positive > 0 && figure(labels.above, above, positive, labels.aboveMeaning),
      none > 0 && figure(labels.abstained, abstained, none, labels.abstainedMeaning),
    ),
    ...(problems.length > 0
      ? [
          make('h4', {}, labels.problems),
          make(
            'ul',
            { class: 'diagnostics' },
            ...problems.map(({ file, line, message }) =>
              make(
                'li',
                { lang: 'en' },
                message,
                make(
                  'span',
                  { class: 'muted where' },
                  line === undefined ? file : `${file}:${line}`,
                ),
              ),
            ),
          ),
        ]
      : []),
    make(
      'p',
      { class: 'shown-cases' },
      labels.failures(failed.length),
      ' ',
      failed.length < cases.length && toggle,
    ),
    table,
  )
}

function columns(): Node[] {
  const { message, expected, found, score, result } = texts.tests
  return [message, expected, found, score, result].map(name =>
    make(
      'th',
      { role: 'columnheader', scope: 'col', class: name === score ? 'right' : undefined },
      name,
    ),
  )
}

function figure(name: string, part: number, whole: number, meaning: string): HTMLElement {
  return make(
    'div',
    {},
    make('dt', {}, name),
    make(
      'dd',
      {},
      make('strong', {}, percent(part / whole)),
      ' ',
      make('span', { class: 'muted' }, texts.tests.of(part, whole, meaning)),
    ),
  )
}

/** The roles stay where a narrow window draws the row as lines. The labels are shown there. */
function row(
  { message, expected, got, passed, file, line }: TriggerOutcome,
  context: PageContext,
): HTMLElement {
  const labels = texts.tests
  const tryMessage = (): void => context.setMessage(message)
  const cell = (attributes: Readonly<Record<string, string>>, content: Child): HTMLElement =>
    make('td', { role: 'cell', ...attributes }, content)
  return make(
    'tr',
    { role: 'row', class: passed ? undefined : 'failed' },
    cell({}, makeButton(message, tryMessage, { class: 'link', title: labels.try, dir: 'auto' })),
    cell({ 'data-label': labels.expected }, expected.join(labels.or) || labels.noSkill),
    cell({ 'data-label': labels.found }, got?.name ?? labels.noSkill),
    cell({ class: 'right' }, got ? percent(got.score) : ''),
    cell(
      { title: `${file}:${line}` },
      make('span', { class: passed ? 'pass' : 'fail' }, passed ? labels.pass : labels.fail),
    ),
  )
}
