/*
 * Lines that people paste: quotes, stack traces, errors of compilers and tests, logs, diffs, data. Each pattern is tried where the text of a
 * line begins, after its indentation.
 */

const FILE = String.raw`[\w@./\\~+$-]{1,200}\.[A-Za-z]\w{0,7}`
const LEVEL = 'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE'
const LINE_END = String.raw`[ \t]*(?=\r?\n|$)`

const PASTED = [
  // Quotes, shells.
  '>',
  String.raw`(?:\$|PS [A-Z]:\\\S*>|[\w.-]{1,40}@[\w.-]{1,40}:\S*[$#]) \S`,
  // Errors by their names: of JavaScript, Python, Java, .NET.
  String.raw`(?:Uncaught (?:\(in promise\) )?|Unhandled (?:Promise ?)?Rejection:? ?\(?)?(?:[\w$]+[.:]{1,2})*[\w$]*(?:Error|Exception)\)?(?: \[\w+\])?(?::|${LINE_END})`,
  String.raw`Unhandled exception|Exception in thread |Caused by: |Suppressed: |\.\.\. \d+ more|Node\.js v\d`,
  String.raw`Traceback \(most recent call last\)|File "[^"\n]+", line \d|During handling of the above exception|The above exception was`,
  // Calls in a trace.
  String.raw`at [^\n]*:\d+:\d+\)?${LINE_END}|at [\w$.<>/\x60]+(?: \[as \w+\] )?\([^\n]*\)(?: in [^\n]+)?${LINE_END}`,
  String.raw`from ${FILE}:\d+:in |#\d+ (?:\{main\}|${FILE}\(\d+\)|0x[\da-f]+ )|goroutine \d+ \[|created by [\w./]+ in |exit status \d+${LINE_END}`,
  // A file and a line: compilers, Ruby, Node.
  String.raw`(?:--> |[✗✘×] )?${FILE}(?::\d+(?::\d+)?|\(\d+,\d+\))(?::(?=\s)|:in | - |${LINE_END})`,
  String.raw`\d{1,6} {1,6}\||\|(?: |${LINE_END})|\d{1,6} {4,}\S|[\^~]+${LINE_END}`,
  // Errors of tools.
  `PHP (?:Fatal|Parse|Warning|Notice|Deprecated)|Stack trace:|thrown in ${FILE}`,
  String.raw`thread '[^'\n]*' (?:\(\d+\) )?panicked|note: run with |(?:error|warning|fatal|panic)(?:\[\w+\])?: |npm (?:ERR!|error|WARN|warn) `,
  // Tests.
  String.raw`(?:FAIL|PASS|FAILED|PASSED) +${FILE}|[●✕✗✘✓✔×] \S|E {3,}\S|(?:={4,}|_{4,}) `,
  // Logs.
  String.raw`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[.,\]]?\d* |[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d |(?:\d{1,3}\.){3}\d{1,3} - `,
  String.raw`\[(?:${LEVEL})\]|(?:${LEVEL}):\S|(?:${LEVEL})(?:: | {1,2}(?=[\[\d(]| - ))`,
  // Diffs, commits.
  String.raw`diff --git |@@ -\d|\+\+\+ [ab]\/|--- [ab]\/|index [0-9a-f]{7,}|commit [0-9a-f]{40}`,
]

/** The start of a pasted line. */
export const PASTED_LINE = new RegExp(`(?:${PASTED.join('|')})`, 'y')

/** A line that goes on after a pasted one: indented, changed by a diff, or the call of a function in a trace. */
export const CONTINUED_PASTE = new RegExp(
  String.raw`(?: {2,}|\t|[+-][^\s+-])[^\n]*\S|[\w$.*/()]{1,200}\([^\n]*\)${LINE_END}|Node\.js v\d`,
  'y',
)

/** The start of data in JSON: a bracket that a name, a value or the end of the line follows. */
export const JSON_START =
  /(?:\{[ \t]*(?:"[^"\n]{1,100}"[ \t]*:|\r?\n[ \t]*")|\[[ \t]*(?:\{[ \t]*"|\r?\n[ \t]*[{"]))/y

/** The end of the data: a line with the bracket that closes it. */
export const JSON_END = /^[}\]]+[;,]?\s*$/
