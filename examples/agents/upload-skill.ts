import { anthropic } from '@ai-sdk/anthropic'
import { uploadSkill } from 'ai'
import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'
import { exportSkill } from 'skillshelf/store'

const library = await openLibrary(directory(new URL('../skills', import.meta.url)))
const [skill = 'invoice-check'] = process.argv.slice(2)
const { name, files } = await exportSkill(library, skill)
const { providerReference } = await uploadSkill({ api: anthropic, files, displayTitle: name }) // reads ANTHROPIC_API_KEY
console.log(providerReference)
