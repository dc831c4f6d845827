import { library } from 'virtual:skillshelf'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { SearchResult } from 'skillshelf'
import { defineSkillSearch } from 'skillshelf/element'
import { type SkillsState, useSearch, useSkill, useSkills } from 'skillshelf/react'

defineSkillSearch()

function App() {
  // The module keeps the library open, so it outlives the component.
  const skills = useSkills({ input: library })
  const [message, setMessage] = useState('')
  const [opened, setOpened] = useState<string>()
  const { data } = useSearch({ skills, message })
  return (
    <>
      <h1>Which skill?</h1>
      <label htmlFor="message">Message</label>
      <input
        id="message"
        type="search"
        autoComplete="off"
        placeholder="check this invoice before I pay it"
        value={message}
        onChange={event => {
          setMessage(event.target.value)
          setOpened(undefined)
        }}
      />
      <p role="status">{statusOf(skills, message, data)}</p>
      <ol id="matches">
        {data?.matches.map(({ id, name, score, reason }) => (
          <li key={id}>
            <button type="button" onClick={() => setOpened(id)}>
              {name}
            </button>{' '}
            {score.toFixed(2)}: {reason}
          </li>
        ))}
      </ol>
      {opened !== undefined && <Instructions skills={skills} id={opened} />}
      {/* The same library in a dialog. */}
      <skill-search
        dialog
        library={library}
        onskill-error={({ detail }) => console.error(detail.error)}
      />
    </>
  )
}

function Instructions({ skills, id }: { skills: SkillsState; id: string }) {
  const { data: skill, error } = useSkill({ skills, id })
  if (!skill) return <p>{error?.message}</p>
  return (
    <section aria-label={skill.name}>
      <h2>{skill.name}</h2>
      <pre>{skill.instructions}</pre>
    </section>
  )
}

function statusOf({ data: opened, error }: SkillsState, message: string, result?: SearchResult) {
  if (error) return error.message
  if (!opened) return 'Loading…'
  if (message.trim() === '') return `${opened.skills.length} skills`
  return result && STATUS[result.status]
}

const STATUS = {
  match: 'An agent would open the first skill.',
  maybe: 'An agent would choose one of these skills.',
  none: 'No skill matches this message.',
} as const

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
