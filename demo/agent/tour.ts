import type { SkillId } from 'skillshelf'
import type { SessionActivity } from 'skillshelf/session'
import type { Library } from '../context.js'
import { nameOf } from '../names.js'
import { language, texts } from '../texts.js'
import type { ChatMessage, Complete, ToolCall } from './agent.js'

/** Headings of the instructions that an answer names. */
const HEADINGS = 5
/** Skills that an answer offers to choose from. */
const CHOICES = 4

/** Stands in for a model: it opens what matches, reads what that refers to, and answers with prepared sentences. */
export interface Tour {
  complete: Complete
  /** Notes what a message matches. */
  observe(activity: SessionActivity): void
}

export function createTour(library: Library): Tour {
  let matched: readonly { id: SkillId }[] = []
  return {
    observe({ type, matches }) {
      if (type === 'prepare') matched = matches ?? []
    },
    async complete({ messages }, signal) {
      const labels = texts.agent.tour
      const asked = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
      const done = asked.filter(({ role }) => role === 'tool').length
      const id = matched[0]?.id
      if (id === undefined) {
        const { maybe = [] } = await library.match(plainText(asked[0]), { signal })
        const names = maybe.slice(0, CHOICES).map(match => namesOf(library, match.id))
        return say(names.length > 0 ? labels.choose(names) : labels.none)
      }
      if (done === 0) return call('load_skill', { skill: id })
      const { instructions, files, tokens } = await library.get(id, { signal })
      const named = files.filter(({ path }) => instructions.includes(path))
      const file =
        named.find(({ kind }) => kind === 'script') ?? named.find(({ kind }) => kind === 'text')
      if (done === 1 && file) return call('read_skill_file', { skill: id, path: file.path })
      const headings = [...instructions.matchAll(/^##\s+(.+)$/gm)].map(
        ([, heading = '']) => heading,
      )
      return say(
        [
          labels.opened(namesOf(library, id), texts.tokens(tokens.instructions)),
          headings.length > 0 ? (isForeign(headings) ? labels.coversForeign : labels.covers) : '',
          headings
            .slice(0, HEADINGS)
            .map(heading => `- ${heading}`)
            .join('\n'),
          file ? labels.read(file.path) : '',
          labels.next,
        ]
          .filter(Boolean)
          .join('\n\n'),
      )
    },
  }
}

function namesOf({ snapshot }: Library, id: SkillId): string {
  const skill = snapshot.skills.find(one => one.id === id)
  return skill ? nameOf(skill) : id
}

/** Whether the instructions are in the other language of the page. */
function isForeign(headings: readonly string[]): boolean {
  return /\p{Script=Han}/u.test(headings.join()) !== (language === 'zh')
}

/** The message as the user wrote it: the skills that fit it follow. */
function plainText(message: ChatMessage | undefined): string {
  return message?.role === 'user' ? message.content.replace(/\n\n<[\s\S]*$/, '') : ''
}

function say(content: string): { role: 'assistant'; content: string } {
  return { role: 'assistant', content }
}

function call(
  name: string,
  input: Readonly<Record<string, string>>,
): Awaited<ReturnType<Complete>> {
  const one: ToolCall = {
    id: `tour-${name}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }
  return { role: 'assistant', content: null, tool_calls: [one] }
}
