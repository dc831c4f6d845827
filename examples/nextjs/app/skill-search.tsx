'use client'

import { useState } from 'react'
import { defineSkillSearch } from 'skillshelf/element'
import { useSearch, useSkills } from 'skillshelf/react'

// A search box with a dialog. On the server it is an empty element.
defineSkillSearch()

export function SkillSearch() {
  const [message, setMessage] = useState('')
  const skills = useSkills({ input: '/skills/' })
  const { data } = useSearch({ skills, message })
  return (
    <>
      <skill-search src="/skills/" dialog />
      <p>
        <label htmlFor="message">Message</label>{' '}
        <input
          id="message"
          type="search"
          value={message}
          onChange={event => setMessage(event.target.value)}
        />
      </p>
      <p role="status">
        {skills.status === 'success'
          ? `${skills.data.skills.length} skills`
          : (skills.error?.message ?? 'Loading…')}
      </p>
      <ol>
        {data?.matches.map(({ id, name, reason }) => (
          <li key={id}>
            {name}: {reason}
          </li>
        ))}
      </ol>
    </>
  )
}
