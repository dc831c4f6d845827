import { openLibrary } from 'skillshelf'
import { directory } from 'skillshelf/node'

const message = process.argv.slice(2).join(' ') || 'check this invoice before I pay it'
const library = await openLibrary(directory(new URL('../skills', import.meta.url)))

const { matches } = await library.match(message)
const [best] = matches
if (best) {
  const { name, instructions, files } = await library.get(best.id)
  console.log(`${name}, ${best.score.toFixed(2)}: ${best.reason}\n\n${instructions}`)
  for (const { path } of files) {
    const { text } = await library.read(best.id, path)
    console.log(`\n${path}\n${text ?? '(binary)'}`)
  }
} else console.log('No skill matches this message.')
await library.close()
