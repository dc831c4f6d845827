import { loadSkillCatalog, renderSkillResource } from 'agents/skills'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { toAgentsSource } from './source.ts'

const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const catalog = await loadSkillCatalog([toAgentsSource(library)])
console.log(catalog.prompt())

const rates = await catalog.readResource({ name: 'invoice-check', path: 'references/rates.csv' })
if (rates.ok) console.log(renderSkillResource(rates.value))
