/*
 * The grammar of `allowed-tools`, as hosts read it. Looked up on 2026-11-27:
 *
 * | form | meaning | source |
 * |---|---|---|
 * | `Read Bash(git:*)`, or a list | tools that are approved in advance | agentskills.io/specification |
 * | `Read, Write`, `"Read"` | separated by commas, in quotes | frontmatter of published skills |
 * | `Bash`, `Bash(*)` | every call | code.claude.com/docs/en/permissions |
 * | `Bash(git add *)`, `Bash(git add:*)` | `git add`, and all that start with `git add ` | the same |
 * | `Bash(git * main)` | `*` is any text, at any place | the same |
 * | `Read(**\/*.md)`, `Write(out/**)` | a path as in .gitignore: `/x` from the project, `//x` absolute, `~/x` from the home folder | the same |
 * | `WebFetch(domain:example.com)` | a host; `*.example.com` is each host below it | the same |
 * | `mcp__github`, `mcp__github__*`, `mcp__github__get_*` | the tools of an MCP server | the same |
 * | `*`, `mcp__*`, `B*` | approve nothing: a wildcard needs the name of a server before it | the same |
 *
 * Where hosts differ, the reading that approves less counts. A rule is for the tool that it names: in Claude Code, `Edit` covers `Write` too.
 */

/** A rule of `allowed-tools`. */
export interface ToolRule {
  /** The name of a tool, or of several: `mcp__github__*`. */
  tool: string
  /** What the parentheses have, without blanks around it. Absent: the rule covers every call. */
  specifier?: string
}

const QUOTE = /["'`“”]/

/** Splits a list of rules at commas and blanks, but not inside parentheses: `Bash(git add:*), "Read"` has two. Quotes are left out. */
export function splitToolRules(text: string): string[] {
  const rules: string[] = []
  let rule = ''
  let depth = 0
  for (const one of text.replace(/^\s*\[|\]\s*$/g, '').replace(/(?<=[\w*])\s+\(/g, '(')) {
    if (one === '(') depth++
    if (one === ')') depth = Math.max(0, depth - 1)
    const isEnd = depth === 0 && /[\s,]/.test(one)
    if (isEnd && rule !== '') rules.push(rule)
    if (isEnd) rule = ''
    else if (depth > 0 || !QUOTE.test(one)) rule += one
  }
  return rule === '' ? rules : [...rules, rule]
}

/** Reads a rule. One with unbalanced parentheses is a name that no tool has. */
export function parseToolRule(text: string): ToolRule {
  const rule = text.trim()
  const open = rule.indexOf('(')
  if (open < 1 || !rule.endsWith(')')) return { tool: rule }
  const specifier = rule.slice(open + 1, -1).trim()
  const coversAll = specifier === '' || specifier === '*'
  return { tool: rule.slice(0, open).trim(), ...(coversAll ? {} : { specifier }) }
}
