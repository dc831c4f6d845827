import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Embedder, type LocalLibrary, openLibrary } from '../../src/exports/index.js'
import { transformers } from '../../src/exports/transformers.js'
import { resolveModel } from '../../src/search/model/transformers/presets.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'

const folder = fileURLToPath(new URL('../../model/encoder/', import.meta.url))

/** Messages for `book-flight` of the samples. */
const MESSAGES = [
  ['en', 'I have to be in Tokyo on Monday, find me a seat on a plane'],
  ['zh', '我下周一要飞东京，帮我看看航班和座位'],
  ['ja', '月曜日に東京へ飛びたいので、飛行機の席を探して'],
  ['ko', '월요일에 도쿄로 가는 비행기 좌석을 찾아 줘'],
  ['es', 'Tengo que volar a Tokio el lunes, búscame un asiento en un avión'],
  ['de', 'Ich muss am Montag nach Tokio, such mir einen Platz im Flieger'],
  ['fr', "Je dois prendre l'avion pour Tokyo lundi, trouve-moi une place"],
  ['pt', 'Preciso de voar para Tóquio na segunda, procura-me um lugar no avião'],
  ['ru', 'Мне нужно в понедельник улететь в Токио, найди место в самолёте'],
] as const

describe('skillshelf-encoder', () => {
  const there = process.cwd()
  let work: string
  let model: Embedder
  let library: LocalLibrary
  beforeAll(async () => {
    // The package as npm installs it.
    work = temporaryFolder()
    mkdirSync(join(work, 'node_modules'))
    symlinkSync(folder, join(work, 'node_modules/skillshelf-encoder'))
    process.chdir(work)
    model = await transformers()()
    library = await openLibrary(directory(new URL('../../demo/skills', import.meta.url)))
    await library.upgrade({ ...model, close: async () => {} }, { cache: false })
  })
  afterAll(async () => {
    process.chdir(there)
    await library?.close()
    await model?.close?.()
  })

  it('is the default model, found in node_modules, and names its version', () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(resolveModel({}).version).toBe(version)
    expect(model).toMatchObject({ id: `transformers/skillshelf-encoder@${version}/q4`, dimensions: 384 })
  })

  it('has at most 18 MB', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path))
    const sizes = files.map(file => statSync(file)).map(file => (file.isFile() ? file.size : 0))
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(18_000_000)
    for (const name of ['LICENSE', 'NOTICE', 'CARD.md'])
      expect([name, existsSync(join(folder, name))]).toEqual([name, true])
  })

  it.each(MESSAGES)('[BY-1] finds a skill in English for a message in %s', async (_, message) => {
    const { matches, model: name } = await library.search(message)
    expect(name).toBe(`hybrid/1 ${model.id}`)
    // travel-itinerary is close: both are about a trip.
    expect(matches.slice(0, 2).map(match => match.name)).toContain('book-flight')
  })
})
