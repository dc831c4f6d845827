import type { SkillLibrary } from 'skillshelf'
import type { TriggerOutcome, TriggerReport } from 'skillshelf/testing'
import type { Desk } from './desk.js'
import { type Child, make } from './dom.js'
import { percent } from './format.js'
import { THRESHOLD } from './results.js'
import { texts } from './texts.js'

const EXAMPLE = '- message: make slides about our launch\n- message: tell me a joke\n  skill: none\n'
/** Milliseconds after which the page is let draw and hear. */
const BREATH = 30

/** The authors' trigger tests, run in the page. */
export function testsView(desk: Desk, _: unknown, signal: AbortSignal): { title: string; content: Node[] } {
  const run = make('button', { type: 'button', class: 'button primary' }, texts.tests.run)
  const stop = make('button', { type: 'button', class: 'button', hidden: '' }, texts.tests.stop)
  const bar = make('progress', { max: '1', 'aria-label': texts.tests.progress, hidden: '' })
  const said = make('p', { role: 'status' })
  const report = make('div', { class: 'report' })
  let running: AbortController | undefined

  const start = async (): Promise<void> => {
    running = new AbortController()
    const either = AbortSignal.any([signal, running.signal])
    report.replaceChildren()
    said.textContent = texts.tests.reading
    run.hidden = true
    stop.hidden = bar.hidden = false
    bar.removeAttribute('value')
    stop.focus()
    try {
      // Reading YAML and judging are loaded by who runs tests.
      const { collectTriggers, runTriggers } = await import('skillshelf/testing')
      const files = await collectTriggers(desk.library, { signal: either })
      await desk.prepared(files.flatMap(({ cases }) => cases.map(({ message }) => message)))
      const result = await runTriggers(breathing(desk.library), files, {
        threshold: THRESHOLD,
        signal: either,
        onProgress({ done, total = done }) {
          bar.value = done / total
          said.textContent = texts.tests.running(done, total)
        },
      })
      said.textContent = ''
      if (files.length === 0) report.replaceChildren(make('p', {}, texts.tests.none), make('pre', {}, EXAMPLE))
      else {
        said.textContent = texts.tests.passed(result.summary.passed, result.summary.total)
        report.replaceChildren(...reportOf(result, desk))
      }
    } catch (error) {
      if (signal.aborted) return
      said.textContent = either.aborted ? texts.tests.stopped : texts.tests.failed
      if (!either.aborted) report.replaceChildren(make('p', { class: 'quiet', lang: 'en' }, String(error)))
    }
    const focused = document.activeElement === stop
    run.textContent = texts.tests.again
    run.hidden = false
    stop.hidden = bar.hidden = true
    if (focused) run.focus()
  }
  run.addEventListener('click', () => void start())
  stop.addEventListener('click', () => running?.abort())
  return {
    title: texts.tests.title,
    content: [
      make('h2', { tabindex: '-1' }, texts.tests.title),
      make('p', { class: 'lead' }, texts.tests.lead),
      make('div', { class: 'run' }, run, stop, bar, said),
      report,
    ],
  }
}

/** The same library, except that a long row of searches lets the page draw now and then. */
function breathing(library: SkillLibrary): SkillLibrary {
  let last = performance.now()
  return Object.create(library, {
    search: {
      async value(...asked: Parameters<SkillLibrary['search']>) {
        if (performance.now() - last > BREATH) {
          await new Promise(resolve => setTimeout(resolve))
          last = performance.now()
        }
        return library.search(...asked)
      },
    },
  }) as SkillLibrary
}

function reportOf({ summary, cases, problems }: TriggerReport, desk: Desk): Node[] {
  const { positive, first, above, none, abstained } = summary
  const only = make('input', { type: 'checkbox' })
  const rows = cases.map(one => ({ failed: !one.passed, element: row(one, desk) }))
  only.addEventListener('change', () => {
    for (const { failed, element } of rows) element.hidden = only.checked && !failed
  })
  return [
    make(
      'dl',
      { class: 'figures' },
      positive > 0 && figure(texts.tests.first, first, positive, texts.tests.firstMeans),
      positive > 0 && figure(texts.tests.above, above, positive, texts.tests.aboveMeans),
      none > 0 && figure(texts.tests.abstained, abstained, none, texts.tests.abstainedMeans),
    ),
    ...(problems.length > 0
      ? [
          make('h3', {}, texts.tests.problems),
          make(
            'ul',
            { class: 'diagnostics' },
            ...problems.map(({ file, line, message }) =>
              make(
                'li',
                { lang: 'en' },
                message,
                make('span', { class: 'quiet where' }, line === undefined ? file : `${file}:${line}`),
              ),
            ),
          ),
        ]
      : []),
    make('p', { class: 'only' }, make('label', {}, only, ' ', texts.tests.onlyFailed)),
    make(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': texts.tests.results },
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
  const { message, expected, got, score, result } = texts.tests
  return [message, expected, got, score, result].map(name =>
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
      make('span', { class: 'quiet' }, texts.tests.of(part, whole, meaning)),
    ),
  )
}

function row({ message, expected, got, passed, file, line }: TriggerOutcome, desk: Desk): HTMLElement {
  const ask = make('button', { type: 'button', class: 'link', title: texts.tests.try, dir: 'auto' }, message)
  ask.addEventListener('click', () => desk.write(message))
  const cells: Child[] = [
    make('td', {}, ask),
    make('td', {}, expected.join(texts.tests.or) || texts.tests.noSkill),
    make('td', {}, got?.name ?? texts.tests.noSkill),
    make('td', { class: 'right' }, got ? percent(got.score) : ''),
    make(
      'td',
      { title: `${file}:${line}` },
      make('span', { class: passed ? 'pass' : 'fail' }, passed ? texts.tests.pass : texts.tests.fail),
    ),
  ]
  return make('tr', passed ? {} : { class: 'failed' }, ...cells)
}
