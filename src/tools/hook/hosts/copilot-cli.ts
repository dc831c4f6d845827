import { isAbsolute, join, resolve } from 'node:path'
import {
  type Host,
  type HostPlace,
  type HostUser,
  PROJECT_OFF,
  pathFrom,
  projectRoots,
  type SkillRoot,
  type SkillRule,
  TIMEOUT,
  userRoots,
} from './host.js'
import {
  expandHome,
  readJsonSettings,
  readOrReport,
  readProjectSettings,
  type Settings,
  textsOf,
} from './host-settings.js'

export const copilotCli: Host = {
  title: 'Copilot CLI',
  contract: 'https://docs.github.com/en/copilot/reference/hooks-configuration',
  sources: [
    'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/create-skills',
    'https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference',
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
    ...projectRoots(place, ['.github/skills', '.agents/skills', '.claude/skills']),
    ...userRoots(place, [
      join(folderOf(place), 'skills'),
      join(place.home, '.agents/skills'),
      join(place.home, '.claude/skills'),
    ]),
  ],
  decisions(place) {
    const problems: string[] = []
    const user = ['config.json', 'settings.json'].map(file =>
      readJsonSettings(join(folderOf(place), file)),
    )
    const rules = user.flatMap(settings => [
      ...disabledIn(settings),
      ...textsOf(settings['ignoredSkillsLocations']).map(path => ({
        folder: resolve(place.cwd, expandHome(path, place.home)),
        isOffered: false,
      })),
    ])
    for (const file of projectFiles(place)) {
      const read = (): SkillRule[] => disabledIn(readProjectSettings(file))
      rules.push(...readOrReport(problems, read, [PROJECT_OFF]))
    }
    return { roots: namedRoots(place, user), rules, problems }
  },
}

function folderOf(user: HostUser): string {
  return pathFrom(user, 'COPILOT_HOME', join(user.home, '.copilot'))
}

function projectFiles({ cwd, folders }: HostPlace): string[] {
  return (folders.length > 0 ? folders : [cwd]).flatMap(folder =>
    ['settings.json', 'settings.local.json'].map(file => join(folder, '.github/copilot', file)),
  )
}

function disabledIn(settings: Settings): SkillRule[] {
  return textsOf(settings['disabledSkills']).map(name => ({ name, isOffered: false }))
}

/** Folders of skills that the user names, in the environment and in settings. */
function namedRoots(place: HostPlace, settings: readonly Settings[]): SkillRoot[] {
  const named = [
    ...(place.env['COPILOT_SKILLS_DIRS'] ?? '').split(','),
    ...settings.flatMap(one => textsOf(one['skillDirectories'])),
  ]
  const paths = named.map(path => expandHome(path.trim(), place.home)).filter(isAbsolute)
  // It may be the folder of a skill.
  return userRoots(place, paths).map(root => ({ ...root, isSkill: true }))
}
