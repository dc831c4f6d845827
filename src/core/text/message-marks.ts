/*
 * The marks in a message by which its parts are told apart: what this library wrote, what a host added, and what the user said.
 *
 * A host that adds text in an element of its own needs its name here. Names are lowercase, and `-` stands for `_` too.
 */

/** Elements that this library writes into conversations. Everything that it writes there stands in one of them: see `markOwnText`. */
export const OWN_ELEMENTS = [
  'available_skills',
  'matching_skills',
  'possible_skills',
  'skill_content',
  'skill_file',
  'skill_note',
  'skill_open',
  'skill_resources',
] as const

/** The element around text of this library that has no other one. */
export const NOTE = 'skill_note' satisfies (typeof OWN_ELEMENTS)[number]

/** Elements of hosts around what the user said. Beside one of them, every other element is of the host. */
const HOST_REQUEST = /^(?:user-(?:query|request|message|input|prompt)|command-args)$/
/** Elements that users structure their own message with. */
const OWN_REQUEST =
  /^(?:query|request|question|task|prompt|message|goal|feedback|answer|input|channel)$/
/** An element of a host that writes the whole message: what is not in an element of the user is of the host. */
const WHOLE_MESSAGE = 'environment-details'

/** Elements that hosts add: of Claude Code, Codex, Cursor, Copilot, Gemini CLI, Antigravity, opencode, Cline, Kimi and others. */
const HOST_ELEMENTS = new Set(
  `additional-data agent-message agent-requestable-workspace-rules agent-skills agent-transcripts always-applied-workspace-rules
  apps-instructions attached-files available-deferred-tools channel-message code-selection codex-delegation collaboration-mode
  conversation-summary cross-session-message current-datetime current-file cursor-commands customizations-update environment-info
  explicit-instructions extremely-important fast-mode-info file-content git-status image-files important-reminders linter-errors
  manually-added-selection manually-attached-skills mcp-file-system mcp-resource model-switch new-diagnostics notification
  open-and-recently-viewed-files pasted-content permissions persisted-output personality-spec plan-mode plugins-instructions project-layout
  realtime-conversation recently-viewed-files recommended-plugins response-annotations skill skill-format skills-instructions
  state-snapshot tagged-files teammate-message terminal-selection token-budget tool-references turn-aborted user-action user-info
  user-instructions user-memory user-memory-input user-rule user-rules user-settings-change user-shell-command workspace-info`.split(
    /\s+/,
  ),
)
const HOST_NAMES =
  /^(?:ide-.+|(?:local-)?command-.+|bash-(?:input|stdout|stderr)|system-(?:note|notice|warning)|(?:.+-)?(?:reminder|hook)(?:-.+)?|.+-notification|(?:app|codebase|codex-internal|cursor-rules|editor|environment|extension|global|goal|ide|in-app-browser|loaded|network|notebook|project|repo|session|skill|untrusted|user|workspace)-context|additional-metadata)$/

/**
 * Whose words the content of an element is. `whole`: of a host, which wrote all that is in no element of the user. `block`: nobody knows; the
 * user may have pasted it.
 */
export type ElementKind = 'machine' | 'whole' | 'request' | 'own-request' | 'block'

/** @param name As in the tag. */
export function elementKind(name: string): ElementKind {
  // Codex writes the rules of a project in capitals.
  if (name === 'INSTRUCTIONS') return 'machine'
  const folded = foldName(name)
  if (HOST_REQUEST.test(folded)) return 'request'
  if (folded === WHOLE_MESSAGE) return 'whole'
  if (OWN_FOLDED.has(folded) || HOST_ELEMENTS.has(folded) || HOST_NAMES.test(folded)) {
    return 'machine'
  }
  return OWN_REQUEST.test(folded) ? 'own-request' : 'block'
}

/** `editorContext`, `editor_context` and `EDITOR_CONTEXT` are `editor-context`. */
function foldName(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
}

const OWN_FOLDED: ReadonlySet<string> = new Set(OWN_ELEMENTS.map(name => name.replaceAll('_', '-')))

/** A message that begins like this has no word of the user: a summary, a skill, a result, or an order of a host. */
export const MACHINE_MESSAGE = new RegExp(
  String.raw`^\s*(?:${[
    // Summaries of a conversation that was compacted.
    String.raw`This session is being continued from a previous conversation(?: that ran out of context)?\.`,
    'Another language model started to solve this problem and produced a summary',
    'You are performing a CONTEXT CHECKPOINT COMPACTION',
    // Skills, settings, other agents.
    String.raw`Base directory for this skill: (?:[~.]?[\\/]|[A-Za-z]:[\\/])`,
    String.raw`This is the Gemini CLI\. We are setting up`,
    String.raw`\[SYSTEM NOTIFICATION`,
    String.raw`Another Claude session sent a message[^\n]{0,60}:`,
    // Results and orders of Cline, opencode, Gemini CLI and OpenClaw.
    String.raw`\[TASK RESUMPTION\]|\[ERROR\] You did not use a tool|\[\w+ for '[^'\n]{0,300}'\] Result:(?![^]*<(?:feedback|answer|user_message)>)`,
    'Continue if you have next steps, or stop and ask for clarification',
    'Summarize the task tool output above and continue',
    String.raw`The following tool was executed by the user\s*$`,
    String.raw`System: Please continue\.`,
    String.raw`Read HEARTBEAT\.md if it exists`,
    // What a message has that nothing but a notification has, even if its end was cut off.
    String.raw`<(task-notification|subagent_notification|local-command-std(?:out|err)|bash-std(?:out|err)|turn_aborted)>(?! )(?![^]*<\/\1>)`,
  ].join('|')})`,
)

/*
 * Each pattern of lines is tried where the text of a line begins, after its indentation.
 */

const LINE_END = String.raw`[ \t\r]*(?=\n|$)`

/** The start of a line that this library writes beside its elements. A line that is missing here gets an element: see `markOwnText`. */
export const OWN_LINE = new RegExp(
  [
    String.raw`These skills hold instructions for particular tasks\. When one fits the message,`,
    String.raw`Follow the instructions below if they fit the message\. You cannot run scripts`,
    String.raw`The instructions of [^\n]{1,300} have changed\. These replace the earlier ones:${LINE_END}`,
    String.raw`The skill [^\n]{1,300} was left out of this conversation: call \w{1,64} to restore it\.${LINE_END}`,
    String.raw`[^\n]{1,300} is closed: its instructions no longer apply\.${LINE_END}`,
  ].join('|'),
  'y',
)

/** The start of the output of a hook or tool. It goes on to the next blank line if nothing follows on the line, else over the list below it. */
export const MACHINE_OUTPUT =
  /(?:(?:[A-Z][A-Za-z]{2,30}|userPromptSubmitted)(?::[\w-]{1,40})? (?:hook (?:success|additional context|feedback|error|blocking error(?: from command)?|stopped continuation)|operation blocked by hook):|Called the \w{1,40} tool with the following input: ?(?=\{))/y
export const LIST_ITEM = /[ \t]*(?:[-*•#>[|]|\d{1,3}[.)]) ?\S/y

/** The start of a line of a host. The rest of the line is of the host too, unless an element begins there. */
export const MACHINE_LINE = new RegExp(
  [
    'Caveat: The messages below were generated by the user while running local commands',
    String.raw`\[Request interrupted by user[^\]\n]{0,40}\]${LINE_END}`,
    String.raw`# AGENTS\.md instructions(?: for [^\n]{1,300})?\s*(?=<INSTRUCTIONS>)`,
    String.raw`Reading MCP resource: [^\n]{1,200} \([a-z][\w+.-]{0,20}:\/\/|Read the output file to retrieve the (?:result|output): `,
    'Use the above message and context to generate a prompt and call the task tool with subagent:',
    `The user provided the following feedback:${LINE_END}`,
    String.raw`(?:System: )?\[\w+_id: [^\]\n]{1,200}\]${LINE_END}|System: \[\d{4}-\d\d-\d\d|\[media attached[: ]|To send an image back, prefer the message tool`,
  ].join('|'),
  'y',
)

/** The line before the fence in which Gemini CLI describes the editor, and OpenClaw the conversation. */
export const MACHINE_FENCE =
  /Here is (?:the user's editor context|a summary of changes in the user's editor context)\b|[A-Z][\w ]{2,60}\(untrusted[^)\n]{0,40}\):/y

/** Data that a hook printed. */
export const HOOK_DATA = /"(?:hookSpecificOutput|additionalContext)"\s*:/

/** What stands in a message for an image, a text or a file that the host keeps elsewhere, and the envelope of a chat. Not in quotes. */
export const PLACEHOLDER =
  /(?<!["'`])(?:\[Image(?: #\d+|: source: [^\]\n]{0,300})\]|\[Pasted text(?: #\d+)?(?: \+\d+ lines?)?\]|\[\.\.\.Truncated text #\d+ \+\d+ lines?\.\.\.\]|\(See <attachments> above for file contents\.[^)\n]{0,120}\)|\(see below for (?:file|folder) content\))(?!["'`])|^\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|WebChat|Matrix|Mon|Tue|Wed|Thu|Fri|Sat|Sun) [^\]\n]{0,160}\d\d:\d\d[^\]\n]{0,20}\]/gm

/** The heading before the user's request in the wrapper of Codex. */
export const REQUEST_HEADING = /^#{1,3} My request for [A-Z]\w{1,40}:[ \t\r]*$/m
/** What the wrapper begins with. */
export const REQUEST_WRAPPER = /^\s*# Context from my IDE setup:/

/** The lines between which a host puts files, and what stands around the user's words, by who wrote it. */
export const SECTIONS: readonly { by: 'quoted' | 'machine'; start: RegExp; end: string }[] = [
  {
    by: 'quoted',
    start: /--- Content from referenced files ---[ \t\r]*(?=\n|$)/y,
    end: '--- End of content ---',
  },
  {
    by: 'machine',
    start: /--- Context from: [^\n]{1,300} ---[ \t\r]*(?=\n|$)/y,
    end: '--- End of Context from: ',
  },
  {
    by: 'machine',
    start: /--- CONTEXT ENTRY BEGIN ---[ \t\r]*(?=\n|$)/y,
    end: '--- CONTEXT ENTRY END ---',
  },
  { by: 'machine', start: /--- USER MESSAGE (?:BEGIN|END) ---[ \t\r]*(?=\n|$)/y, end: '' },
]

/** The first line of a reminder that passes on what the user said while the model worked, and the lines that may follow it. */
export const QUEUED_REQUEST =
  /\s*The user sent (?:the following|a new) message[^\n:]{0,60}:[ \t\r]*\n/y
export const QUEUED_REQUEST_END = ['\nPlease address this message', '\nIMPORTANT: ']
