import { attempt } from '../attempt.js'
import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { copilotCli } from './copilot-cli.js'
import { geminiCli } from './gemini-cli.js'
import type { Host, HostPlace, SkillRoot } from './host.js'

/** The coding agents that run the hook, by the name that the command line knows. docs/hosts.md has this table. */
export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  'copilot-cli': copilotCli,
}

/** The folders of skills that any host reads. A host with an environment that is not understood has none. */
export function allRoots(place: HostPlace): SkillRoot[] {
  return Object.values(HOSTS).flatMap(host => attempt(() => host.roots(place), []))
}
