import { memory, openLibrary } from '../../src/exports/index.js'
import { learnedDatabase } from '../../src/exports/sources.js'

const FILES = {
  'deck/SKILL.md': '---\nname: deck\ndescription: Makes slides for a talk\n---\n',
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews green tea\n---\n',
}

export const openLearning = (database: string) =>
  openLibrary(memory(FILES, { name: 'mine' }), { learn: learnedDatabase(database) })
