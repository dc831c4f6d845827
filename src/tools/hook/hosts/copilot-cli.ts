import { join } from 'node:path'
import { errorMessage } from '../../../core/errors.js'
import {
  type Host,
  type HostUser,
  projectRoots,
  type SkillRule,
  TIMEOUT,
  userRoots,
} from './host.js'
import { readJsonSettings, type Settings, textsOf } from './host-settings.js'

export const copilotCli: Host = {
  title: 'Copilot CLI',
  contract: 'https://docs.github.com/en/copilot/reference/hooks-configuration',
  sources: [
    'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/create-skills',
    'https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference',
  ],
  lookedUp: '2026-11-27',
  settings: user => join(folderOf(user), 'hooks/skillshelf.json'),
  keys: ['hooks', 'userPromptSubmitted'],
  windowsShell: 'posix',
  setting: (bash, powershell) => ({ type: 'command', bash, powershell, timeoutSec: TIMEOUT }),
  isGrouped: false,
  answer: text => ({ additionalContext: text }),
  roots: place => [
    ...projectRoots(place, ['.github/skills', '.claude/skills', '.agents/skills']),
    ...userRoots(place, [
      join(folderOf(place), 'skills'),
      join(place.home, '.claude/skills'),
      join(place.home, '.agents/skills'),
    ]),
  ],
  decisions(place) {
    const problems: string[] = []
    const rules = ['settings.json', 'config.json'].flatMap(file =>
      rulesOf(readJsonSettings(join(folderOf(place), file))),
    )
    for (const folder of place.folders) {
      for (const file of ['settings.json', 'settings.local.json']) {
        try {
          rules.push(...rulesOf(readJsonSettings(join(folder, '.github/copilot', file))))
        } catch (error) {
          problems.push(errorMessage(error))
          rules.push({ owner: 'project', isOffered: false })
        }
      }
    }
    return { plugins: [], rules, problems }
  },
}

function folderOf({ home, env }: HostUser): string {
  return env['COPILOT_HOME'] || join(home, '.copilot')
}

function rulesOf(settings: Settings): SkillRule[] {
  return textsOf(settings['disabledSkills']).map(name => ({ name, isOffered: false }))
}
