/** A fault in the source that must make the tests of a behavior fail. */
export interface Mutant {
  /** Id of the behavior in behaviours.md. */
  id: string
  /** Path from the root of the project. */
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /**
   * Which tests must fail: those of test/browser, of test/workerd, or all others, which run in Node.
   * @default 'node'
   */
  runtime?: 'node' | 'browser' | 'workerd'
}

/** One fault for each behavior, at the heart of it. `npm run mutants -- src/folder` makes many more: see CONTRIBUTING.md. */
export const mutants: readonly Mutant[] = [
  {
    id: 'CARD-1',
    file: 'src/core/progress.ts',
    find: '  if (callbackErrors.has(error as object)) throw error\n',
    replace: '',
  },
  {
    id: 'CARD-2',
    file: 'src/search/thread/serve.ts',
    find: 'value.byteLength === value.buffer.byteLength && !isShared(value) ? value : value.slice()',
    replace: 'value',
  },
  {
    id: 'CARD-3',
    file: 'worker/served.ts',
    find: 'openLibrary(source, { embedder: embedder ?? false })',
    replace: 'openLibrary(source, { embedder: false })',
    runtime: 'workerd',
  },
  {
    id: 'CARD-4',
    file: 'src/skill/media-types.ts',
    find: "isActive && type !== SVG ? 'text/plain' : type",
    replace: 'type',
  },
  {
    id: 'CARD-5',
    file: 'examples/node-agent/main.js',
    find: '    turn.push(...(await answerToolCalls(session, reply)))\n',
    replace: '    await answerToolCalls(session, reply)\n',
  },
  { id: 'CARD-6', file: 'src/search/model/vector-cache.ts', find: "from 'idb-keyval'", replace: "from 'idb'" },
  { id: 'TD-1', file: 'src/core/tokens.ts', find: 'ideograph: 0.786,', replace: 'ideograph: 0.2,' },
  {
    id: 'TD-2',
    file: 'src/skill/fields.ts',
    find: "displayName: ['display_name', 'display-name', 'displayName'],",
    replace: "displayName: ['displayName'],",
  },
  {
    id: 'TD-3',
    file: 'src/agent/dialects/token-dance.ts',
    find: "const HEADER = '[Available Skills]'",
    replace: "const HEADER = '[Skills]'",
  },
  {
    id: 'TD-4',
    file: 'src/search/match/keyword.ts',
    find: 'tags + (tags < names.length ? NAME_WEIGHT : 0)',
    replace: 'tags',
  },
  {
    id: 'TD-5',
    file: 'src/search/match/score.ts',
    find: 'intercept: -3.75',
    replace: 'intercept: -0.75',
  },
  { id: 'TD-6', file: 'src/search/match/rerank.ts', find: 'shown(displayName ?? name)', replace: 'shown(name)' },
  {
    id: 'TD-7',
    file: 'src/skill/frontmatter.ts',
    find: 'const line = end.line + 1',
    replace: 'const line = end.line',
  },
  {
    id: 'TD-8',
    file: 'src/library/catalog/discover.ts',
    find: 'for (let folder = dirname(path); ; folder = dirname(folder)) {',
    replace: "for (let folder = path.split('/')[0] as string; ; folder = dirname(folder)) {",
  },
  {
    id: 'TD-9',
    file: 'src/skill/fields.ts',
    find: 'match(/(?:[^\\s,()]|\\([^)]*\\)?)+/g) ?? []',
    replace: 'match(/[^\\s,]+/g) ?? []',
  },
  { id: 'TD-10', file: 'src/tools/cli/templates.ts', find: 'display_name: title,', replace: '' },
  { id: 'TD-11', file: 'src/core/concurrency.ts', find: 'while (again)', replace: 'while (!running)' },
  {
    id: 'TD-12',
    file: 'src/agent/session/load.ts',
    find: 'entry: { skill, tokens, references',
    replace: 'entry: { skill, tokens: tokens * 20, references',
  },
  {
    id: 'OS-1',
    file: 'src/agent/dialects/openseed.ts',
    find: 'listSkills: () => session.offered.map(',
    replace: 'listSkills: () => session.library.snapshot.skills.map(',
  },
  {
    id: 'OS-2',
    file: 'src/agent/dialects/openseed.ts',
    find: 'return skill.text',
    replace: 'return skill.instructions',
  },
  {
    id: 'OS-3',
    file: 'src/agent/dialects/openseed.ts',
    find: 'searchOffered(session, query, n, options)',
    replace: 'searchOffered(session, query, n + 1, options)',
  },
  {
    id: 'OS-4',
    file: 'src/agent/dialects/openseed.ts',
    find: 'if (!ASSETS.test(path))',
    replace: "if (path === 'SKILL.md')",
  },
  { id: 'OS-5', file: 'src/agent/dialects/openseed.ts', find: 'return `${root}/${path}`', replace: 'return path' },
  {
    id: 'OS-6',
    file: 'src/library/catalog/discover.ts',
    find: '  entries.sort((a, b) => (a.path < b.path ? -1 : 1))\n',
    replace: '',
  },
  {
    id: 'OS-7',
    file: 'src/skill/specification.ts',
    find: 'return name.length <= 64 &&',
    replace: 'return name.length <= 65 &&',
  },
  {
    id: 'OS-8',
    file: 'src/agent/dialects/openseed.ts',
    find: "name: 'load_skill_asset',",
    replace: "name: 'load_asset',",
  },
  {
    id: 'OS-9',
    file: 'src/skill/infer.ts',
    find: "severity: value ? 'warning' : 'error',",
    replace: "severity: 'warning',",
  },
  {
    id: 'MX-1',
    file: 'src/agent/dialects/manus-x.ts',
    find: "const FOLDERS = ['scripts/', 'references/', 'assets/']",
    replace: "const FOLDERS = ['assets/', 'references/', 'scripts/']",
  },
  {
    id: 'MX-2',
    file: 'src/agent/dialects/manus-x.ts',
    find: 'fullListing(session, NAME_AND_DESCRIPTION)',
    replace: 'fullListing(session, SECTION)',
  },
  {
    id: 'MX-3',
    file: 'src/agent/dialects/manus-x.ts',
    find: 'Directory: ${plainLine(dir)}',
    replace: 'Directory: ${plainLine(skill.path)}',
  },
  { id: 'MX-4', file: 'src/agent/dialects/manus-x.ts', find: "foot: '\\nWhen a task", replace: "foot: 'When a task" },
  {
    id: 'MX-5',
    file: 'src/agent/dialects/manus-x.ts',
    find: 'data: { success: false, message } })',
    replace: 'data: { success: true, message } })',
  },
  {
    id: 'MX-6',
    file: 'src/agent/dialects/manus-x.ts',
    find: 'const prefix = `${normalize(folder)}/`',
    replace: 'const prefix = normalize(folder)',
  },
  {
    id: 'OE-1',
    file: 'src/agent/dialects/omni-employee.ts',
    find: "open.has(id) ? '✓' : '○'",
    replace: "open.has(id) ? '○' : '✓'",
  },
  {
    id: 'OE-2',
    file: 'src/agent/session/load.ts',
    find: 'if (tokens >= budgets.skill)',
    replace: 'if (tokens > budgets.skill)',
  },
  { id: 'OE-3', file: 'src/agent/dialects/omni-employee.ts', find: "    '## Instructions',\n", replace: '' },
  {
    id: 'OE-4',
    file: 'src/agent/dialects/omni-employee.ts',
    find: 'return load(`references/${file}`)',
    replace: 'return load(file)',
  },
  {
    id: 'OE-5',
    file: 'src/agent/session/context.ts',
    find: '    if (fits(conversation, tokens)) break\n',
    replace: '',
  },
  { id: 'OE-6', file: 'src/agent/session/open-skills.ts', find: '      open.delete(id)\n', replace: '' },
  {
    id: 'OE-7',
    file: 'src/agent/session/context.ts',
    find: "role === 'tool' ? 'toolResults' : 'messages'",
    replace: "'messages'",
  },
  {
    id: 'OE-8',
    file: 'src/agent/session/load.ts',
    find: '  if (!fits(conversation, tokens)) await shortenMessages(conversation, tokens, options.signal)\n',
    replace: '',
  },
  {
    id: 'AC-1',
    file: 'src/skill/infer.ts',
    find: 'if (given && HAS_WORD.test(given)) return given',
    replace: "if (given && HAS_WORD.test(given)) return given.replaceAll(' ', '-')",
  },
  {
    id: 'AC-2',
    file: 'src/library/catalog/lookup.ts',
    find: 'byId.get(name) ?? hidden.get(name)',
    replace: 'byId.get(name)',
  },
  {
    id: 'AC-3',
    file: 'src/agent/dialects/agent-core.ts',
    find: '[folderName, ({ name }) => name]',
    replace: '[({ name }) => name, folderName]',
  },
  {
    id: 'AC-4',
    file: 'src/library/local/state.ts',
    find: 'environment === undefined || !path.startsWith(ENVIRONMENTS) || path.startsWith(folder)',
    replace: 'environment === undefined || path.startsWith(folder)',
  },
  {
    id: 'AC-5',
    file: 'src/library/local/refresh.ts',
    find: '    return { ...state, failure: sourceDiagnostic(state.source, error) }\n',
    replace: '    throw error\n',
  },
  {
    id: 'AC-6',
    file: 'src/agent/session/tool.ts',
    find: "get description() {\n        return typeof description === 'string' ? description : description(session)\n      },",
    replace: "description: typeof description === 'string' ? description : description(session),",
  },
  {
    id: 'BY-1',
    file: 'src/core/text/analyze.ts',
    find: 'const lower = word.toLowerCase()',
    replace: 'const lower = word',
  },
  {
    id: 'BY-2',
    file: 'src/search/match/score.ts',
    find: 'return logistic(served, evidence) * Math.min',
    replace: 'return 1 * Math.min',
  },
  {
    id: 'BY-3',
    file: 'src/search/index/build.ts',
    find: 'if (sequenceRoom-- > 0) sequence.push(code)',
    replace: 'if (sequenceRoom-- > 0) sequence.push(GAP)',
  },
  {
    id: 'BY-4',
    file: 'src/search/model/script-parts.ts',
    find: 'if (isEnglishOnly && isEuropean(text)) return false',
    replace: '',
  },
  { id: 'BY-5', file: 'src/search/index/open.ts', find: 'head.analyzer !== ANALYZER ||', replace: '' },
  {
    id: 'BY-6',
    file: 'src/library/store/store.ts',
    find: '        for (const path of remove) files.delete(safePath(path))\n',
    replace: '',
  },
  { id: 'BY-7', file: 'src/agent/adapters/openai.ts', find: "json.trim() || '{}'", replace: 'json' },
  {
    id: 'BY-8',
    file: 'src/agent/session/restore.ts',
    find: 'for (const path of references) await attempt(',
    replace: 'for (const path of [] as string[]) await attempt(',
  },
  {
    id: 'BY-9',
    file: 'src/server/http/auth.ts',
    find: 'if (!(await timingSafeEqual(decodePart(given), linkToken)))',
    replace: 'if (!linkToken.startsWith(decodePart(given)))',
  },
  {
    id: 'BY-10',
    file: 'src/tools/testing/triggers.ts',
    find: 'passed: expected.length === 0 ? !above : index === 0',
    replace: 'passed: expected.length === 0 ? !above : index >= 0',
  },
  {
    id: 'BY-15',
    file: 'src/server/engine/qdrant/qdrant.ts',
    find: "const isOwn = point['payload']['library'] === library",
    replace: 'const isOwn = true',
  },
  {
    id: 'BY-16',
    file: 'src/server/http/warm.ts',
    find: 'const timeout = Number.POSITIVE_INFINITY',
    replace: 'const timeout = 60_000',
  },
  {
    id: 'BY-17',
    file: 'demo/url.ts',
    find: "if (history.state === null && parseMessage(location.hash) === '') replaceParameter(MESSAGE, message)",
    replace: '',
  },
  {
    id: 'BY-19',
    file: 'demo/agent/activity/skill-activity.ts',
    find: "const tokens = part === 'total' ? figures.total : figures[part].tokens",
    replace: 'const tokens = figures.total',
    runtime: 'browser',
  },
  {
    id: 'BY-20',
    file: 'src/search/match/nearest.ts',
    find: 'Math.fround(Math.fround((a + b + c + d) | 0) * (scales[skill] as number))',
    replace: '((a + b + c + d) * (scales[skill] as number))',
  },
  {
    id: 'BY-21',
    file: 'src/agent/session/open-skills.ts',
    find: 'if (isListed && !ids.has(id)) closeGone(id)',
    replace: 'if (!isListed && !ids.has(id)) closeGone(id)',
  },
  { id: 'BY-11', file: 'src/search/index/build.ts', find: "countField('message')", replace: 'field = []' },
  {
    id: 'BY-12',
    file: 'src/library/enrich/prompt.ts',
    find: '<instructions>${escapeText(instructions)}</instructions>',
    replace: '<instructions>${instructions}</instructions>',
  },
  {
    id: 'BY-13',
    file: 'src/search/match/query-embedding.ts',
    find: 'coverage < MIN_MODEL_COVERAGE ? undefined',
    replace: 'coverage > 1 ? undefined',
  },
  {
    id: 'BY-14',
    file: 'src/library/learning/messages.ts',
    find: 'return messages.filter(one => kept.has(one) || shown.has(one))',
    replace: 'return [...messages]',
  },
  {
    id: 'BY-22',
    file: 'src/library/catalog/packed-catalog.ts',
    find: 'stated !== undefined && stated !== actual',
    replace: 'stated === actual && stated === undefined',
  },
  {
    id: 'BY-23',
    file: 'src/library/query/match-decision.ts',
    find: 'served >= MAYBE_SERVED && matches.length > 0',
    replace: 'matches.length > 0',
  },
  {
    id: 'BY-24',
    file: 'src/search/model/static-model.ts',
    find: 'else isComplete = false',
    replace: '',
  },
  {
    id: 'BY-24',
    file: 'src/library/model/library-model.ts',
    find: '      await abortable(waiting, signal)\n',
    replace: '',
  },
  {
    id: 'BY-25',
    file: 'src/tools/hook/run-hook.ts',
    find: "    log(cache, `${name}: ${errorMessage(error)}`)\n    return ''",
    replace: '    throw error',
  },
  {
    id: 'BY-27',
    file: 'src/library/signed/signature.ts',
    find: 'if (signers.length > 0) return',
    replace: 'if (signatures.length > 0) return',
  },
  {
    id: 'BY-27',
    file: 'src/library/signed/signed.ts',
    find: 'if (!(revision >= seenRevision))',
    replace: 'if (revision < 0)',
  },
  {
    id: 'BY-27',
    file: 'src/library/signed/signature.ts',
    find: '(await digestOfLarge(parts.content)) !== parts.digest',
    replace: "parts.digest === ''",
  },
  {
    id: 'BY-28',
    file: 'src/library/learning/report.ts',
    find: 'stored.filter(({ outcome }) => outcome === undefined)',
    replace: 'stored',
  },
  {
    id: 'BY-26',
    file: 'src/search/match/place.ts',
    find: 'weight: pathsRequired && telling.length > 0 ? 0 : 1',
    replace: 'weight: 1',
  },
  {
    id: 'BY-18',
    file: 'src/ui/element/panel.ts',
    find: 'if (event.isComposing || event.keyCode === 229) return',
    replace: 'if (event.keyCode === 229) return',
  },
]
