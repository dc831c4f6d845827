import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { copilotCli } from './copilot-cli.js'
import { geminiCli } from './gemini-cli.js'
import type { Host } from './host.js'

/** The coding agents that run the hook, by the name that the command line knows. docs/hosts.md has this table. */
export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  'copilot-cli': copilotCli,
}
