import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { createHandler, type SkillHandler } from '../../src/exports/server.js'
import { packedFiles } from '../packed-files.js'

const FILES = { 'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea\n---\nSlowly.' }

interface Env {
  SKILLS: ReturnType<typeof memory>
  TOKEN?: string
}

const source = ({ SKILLS }: Env) => SKILLS
const put = (handler: SkillHandler<Env>, env: Env, token: string) =>
  handler.fetch(
    new Request('http://localhost/v1/store/gin', {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/markdown' },
      body: '---\nname: gin\ndescription: Pours gin\n---\nOn ice.',
    }),
    env,
  )
const match = async (handler: SkillHandler<Env>, env: Env, message: string): Promise<unknown> =>
  (await handler.fetch(new Request(`http://localhost/v1/match?message=${message}`), env)).json()

it('[BY-7] a handler takes its source from the environment, and serves its library and packed files', async () => {
  const env = { SKILLS: memory(await packedFiles(memory(FILES)), { name: 'shelf' }) }
  const handler = createHandler({ source, embedder: false, refreshAfter: 0 })
  expect(await match(handler, env, 'brew+tea')).toMatchObject({
    status: 'match',
    matches: [{ id: 'shelf/tea', description: 'Brews tea' }],
    maybe: [],
  })
  const catalog = await handler.fetch(new Request('http://localhost/skillshelf.json'), env)
  expect(catalog.status).toBe(200)
  expect((await put(handler, env, 'secret')).status).toBe(403)
})

it('[BY-7] with a token, a source that can be written to is written to', async () => {
  const env = { SKILLS: memory({}, { name: 'shelf' }), TOKEN: 'secret' }
  const handler = createHandler(({ SKILLS, TOKEN }: Env) => ({
    source: SKILLS,
    token: TOKEN,
    embedder: false,
  }))
  expect((await put(handler, env, 'wrong')).status).toBe(401)
  expect((await put(handler, env, 'secret')).status).toBe(200)
  expect(await match(handler, env, 'pour+gin')).toMatchObject({ matches: [{ id: 'shelf/gin' }] })
})

it('[BY-7] [AC-5] a source of the environment that fails is asked for again', async () => {
  let tries = 0
  const env = { SKILLS: memory(FILES) }
  const handler = createHandler({
    source: (env: Env) => {
      if (++tries === 1) throw new Error('no binding')
      return env.SKILLS
    },
    embedder: false,
  })
  expect(await match(handler, env, 'tea')).toMatchObject({ code: 'source-failed' })
  expect(await match(handler, env, 'brew+tea')).toMatchObject({ status: 'match' })
})
