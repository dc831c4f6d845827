import library from 'virtual:skillshelf'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Skill } from 'skillshelf'
import { defineSkillSearch } from 'skillshelf/element'
import { type SkillsState, useMatch, useSkills } from 'skillshelf/react'

defineSkillSearch()

function App() {
  // The module keeps the library open, so it outlives the component.
  const skills = useSkills(library)
  const [message, setMessage] = useState('')
  const [opened, setOpened] = useState<string>()
  const { matches, pending, result } = useMatch(skills, message)
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
      <p role="status">{statusOf(skills, message, result && matches.length, pending)}</p>
      <ol id="matches">
        {matches.map(({ id, name, score, reason }) => (
          <li key={id}>
            <button type="button" onClick={() => setOpened(id)}>
              {name}
            </button>{' '}
            {score.toFixed(2)}: {reason}
          </li>
        ))}
      </ol>
      {opened !== undefined && <Instructions id={opened} />}
      {/* The same library in a dialog. */}
      <skill-search
        dialog
        library={library}
        onskill-error={({ detail }) => console.error(detail.error)}
      />
    </>
  )
}

function Instructions({ id }: { id: string }) {
  const [skill, setSkill] = useState<Skill>()
  useEffect(() => {
    const abort = new AbortController()
    library.get(id, { signal: abort.signal }).then(setSkill, error => {
      if (!abort.signal.aborted) throw error
    })
    return () => abort.abort()
  }, [id])
  if (!skill) return null
  return (
    <section aria-label={skill.name}>
      <h2>{skill.name}</h2>
      <pre>{skill.instructions}</pre>
    </section>
  )
}

function statusOf(
  { status, skills, error }: SkillsState,
  message: string,
  found: number | undefined,
  pending: boolean,
) {
  if (status === 'failed') return error?.message
  if (status !== 'ready' || (pending && found === undefined)) return 'Loading…'
  if (message.trim() === '') return `${skills.length} skills`
  return found === 0 ? 'No skill matches this message.' : 'An agent would open the first skill.'
}

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
