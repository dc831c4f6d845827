import { SkillSearch } from './skill-search'

export default function Page() {
  return (
    <main>
      <h1>Which skill?</h1>
      <SkillSearch />
    </main>
  )
}
