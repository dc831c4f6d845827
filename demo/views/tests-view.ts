import type { SkillLibrary } from 'skillshelf'
import type { TriggerOutcome, TriggerReport } from 'skillshelf/testing'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-panel.js'
import { type Child, make, makeButton } from '../dom.js'
import { percent, THRESHOLD } from '../format.js'
import { texts } from '../texts.js'

const EXAMPLE = '- message: make slides about our launch\n- message: tell me a joke\n  skill: none\n'
/** The longest time in ms that searches may block the page. */
const MAX_BLOCKING = 30

/** Runs the trigger tests of the library in the page. */
export function testsView(context: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const labels = texts.tests
  const run = makeButton(labels.run, () => void start(), { class: 'button primary' })
  const stop = makeButton(labels.stop, () => running?.abort(), { hidden: '' })
  const bar = make('progress', { max: '1', 'aria-label': labels.progress, hidden: '' })
  const status = make('p', { role: 'status' })
  const report = make('div', { class: 'report' })
  let running: AbortController | undefined

  const start = async (): Promise<void> => {
    running = new AbortController()
    const stopped = AbortSignal.any([signal, running.signal])
    report.replaceChildren()
    status.textContent = labels.reading
    run.hidden = true
    stop.hidden = bar.hidden = false
    bar.removeAttribute('value')
    stop.focus()
    try {
      const { collectTriggers, runTriggers } = await import('skillshelf/testing')
      const files = await collectTriggers(context.library, { signal: stopped })
      await context.prepareModel(files.flatMap(({ cases }) => cases.map(({ message }) => message)))
      const result = await runTriggers(yielding(context.library), files, {
        threshold: THRESHOLD,
        signal: stopped,
        onProgress({ done, total = done }) {
          bar.value = done / total
          status.textContent = labels.running(done, total)
        },
      })
      status.textContent = ''
      if (files.length === 0) report.replaceChildren(make('p', {}, labels.none), make('pre', {}, EXAMPLE))
      else {
        status.textContent = labels.passed(result.summary.passed, result.summary.total)
        report.replaceChildren(...reportContent(result, context))
      }
    } catch (error) {
      if (signal.aborted) return
      status.textContent = stopped.aborted ? labels.stopped : labels.failed
      if (!stopped.aborted) report.replaceChildren(make('p', { class: 'muted', lang: 'en' }, String(error)))
    }
    const focused = document.activeElement === stop
    run.textContent = labels.again
    run.hidden = false
    stop.hidden = bar.hidden = true
    if (focused) run.focus()
  }
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      make('div', { class: 'run' }, run, stop, bar, status),
      report,
    ],
  }
}

/** Wraps a library so that a long series of searches yields to the page. */
function yielding(library: SkillLibrary): SkillLibrary {
  let last = performance.now()
  return Object.create(library, {
    search: {
      async value(...args: Parameters<SkillLibrary['search']>) {
        if (performance.now() - last > MAX_BLOCKING) {
          await new Promise(resolve => setTimeout(resolve))
          last = performance.now()
        }
        return library.search(...args)
      },
    },
  }) as SkillLibrary
}

function reportContent({ summary, cases, problems }: TriggerReport, context: PageContext): Node[] {
  const labels = texts.tests
  const { positive, first, above, none, abstained } = summary
  const onlyFailed = make('input', { type: 'checkbox' })
  const rows = cases.map(outcome => ({ failed: !outcome.passed, element: row(outcome, context) }))
  onlyFailed.addEventListener('change', () => {
    for (const { failed, element } of rows) element.hidden = onlyFailed.checked && !failed
  })
  return [
    make(
      'dl',
      { class: 'figures' },
      positive > 0 && figure(labels.first, first, positive, labels.firstMeaning),
      positive > 0 && figure(labels.above, above, positive, labels.aboveMeaning),
      none > 0 && figure(labels.abstained, abstained, none, labels.abstainedMeaning),
    ),
    ...(problems.length > 0
      ? [
          make('h3', {}, labels.problems),
          make(
            'ul',
            { class: 'diagnostics' },
            ...problems.map(({ file, line, message }) =>
              make(
                'li',
                { lang: 'en' },
                message,
                make('span', { class: 'muted where' }, line === undefined ? file : `${file}:${line}`),
              ),
            ),
          ),
        ]
      : []),
    make('p', { class: 'only-failed' }, make('label', {}, onlyFailed, ' ', labels.onlyFailed)),
    make(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': labels.results },
      make(
        'table',
        { class: 'cases' },
        make('thead', {}, make('tr', {}, ...columns())),
        make('tbody', {}, ...rows.map(({ element }) => element)),
      ),
    ),
  ]
}

function columns(): Node[] {
  const { message, expected, found, score, result } = texts.tests
  return [message, expected, found, score, result].map(name =>
    make('th', { scope: 'col', class: name === score ? 'right' : undefined }, name),
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

function row({ message, expected, got, passed, file, line }: TriggerOutcome, context: PageContext): HTMLElement {
  const labels = texts.tests
  const tryMessage = (): void => context.setMessage(message)
  const cells: Child[] = [
    make('td', {}, makeButton(message, tryMessage, { class: 'link', title: labels.try, dir: 'auto' })),
    make('td', {}, expected.join(labels.or) || labels.noSkill),
    make('td', {}, got?.name ?? labels.noSkill),
    make('td', { class: 'right' }, got ? percent(got.score) : ''),
    make(
      'td',
      { title: `${file}:${line}` },
      make('span', { class: passed ? 'pass' : 'fail' }, passed ? labels.pass : labels.fail),
    ),
  ]
  return make('tr', passed ? {} : { class: 'failed' }, ...cells)
}
