/** A path in one of the folders of the specification, in text or in a command. */
const MENTION =
  /(?<=^|[\s"'`(=])(?:\.\/)?((?:scripts|references|assets)\/[\w./-]{1,512}\.[A-Za-z]\w{0,8})(?=$|[\s"'`),.:;])/g
/** Names that stand for others: `scripts/your-script.py`. */
const STANDS_FOR_OTHERS =
  /(?:^|[/._-])(?:your|my|some|xxx+|example|sample)(?=[._-][^/]*$)|\/(?:file|filename|script|script_name)\.\w+$/
/** What follows a path in a report about a line: `scripts/a.py:88`. */
const LINE_NUMBER = /^:\d/
/** Words after a path that does not exist yet, or need not. */
const NOT_YET =
  /^[^.!?]{0,100}(?:\((?:create if missing|if present|planned|to be created)\)|\bwould be\b)/i
/** The begin of a list of examples, up to a path: "**Examples**: `references/finance.md` for schemas, ...". */
const EXAMPLES = /^\W*examples?\W*:.*`$/i
/** Words before a path that is to be written, or is an example: "save it as scripts/report.py". "Generate it using scripts/a.py" is a use. */
const TO_WRITE =
  /(?:\b(?:creates?|generates?|writes?|saves?|pastes?|store|outputs?|put|for example|such as)\b|\be\.g\.)(?:(?!\b(?:see|us(?:e|ing)|via|from|with|following|execute|run)\b)[^.!?:(|]){0,60}$|(?:生成|写入|输出)[^。！？：]{0,30}$/i
/** What precedes a path that a command writes. */
const OUTPUT = /(?:>|\s--output|\bcp\s+\S{1,200})[\s=]["']?$/
/** A repository that a command clones. A clone into a folder of skills is the skill itself. */
const CLONE = /\bgit\s+clone\b(?!.*skills?\/)/
const MARKDOWN = /^(?:markdown|md)$/i
const YAML = /^ya?ml$/i

/** A path in `scripts/`, `references/` or `assets/`, and the text of its line around it. */
export interface Mention {
  path: string
  before: string
  after: string
}

/** The paths in `scripts/`, `references/` and `assets/` on a line, and where each begins. */
export function mentionsIn(line: string): (Mention & { index: number })[] {
  return [...line.matchAll(MENTION)].map(({ 0: { length }, 1: path = '', index }) => ({
    path,
    index,
    before: line.slice(0, index),
    after: line.slice(index + length),
  }))
}

/** Whether a path in prose is to be written, or is an example. */
export function isOtherInText(mention: Mention): boolean {
  const { before } = mention
  return isOther(mention) || TO_WRITE.test(before) || EXAMPLES.test(before)
}

/** Whether a path in a code block is written by a command, or is one of the user's project. @param language Of the code block, as written. */
export function isOtherInCode(mention: Mention, language: string): boolean {
  const { path, before } = mention
  // In code, assets/ is often a folder of the user's project, and YAML its workflows.
  const isOfUser = path.startsWith('assets/') || (YAML.test(language) && !/^\s*#/.test(before))
  return isOther(mention) || isOfUser || isMarkdown(language) || OUTPUT.test(before)
}

function isOther({ path, after }: Mention): boolean {
  return STANDS_FOR_OTHERS.test(path) || LINE_NUMBER.test(after) || isNotYet(after)
}

/** Whether the text after a path says that it does not exist yet, or need not. */
export function isNotYet(after: string): boolean {
  return NOT_YET.test(after)
}

/** Whether a command clones a repository. The paths after it may be in there. */
export function clonesRepository(line: string): boolean {
  return CLONE.test(line)
}

/** Whether a code block is an example of a Markdown file. */
export function isMarkdown(language: string): boolean {
  return MARKDOWN.test(language)
}
