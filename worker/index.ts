import { http, isSkillshelfError, openLibrary, type SkillLibrary } from '../src/index.js'

interface Env {
  /** The built page, with the packed samples under /skills/. */
  ASSETS: Fetcher
}

let opened: Promise<SkillLibrary> | undefined

/** GET /match?q=MESSAGE answers with the matches; everything else is the page. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname !== '/match') return env.ASSETS.fetch(request)
    if (request.method !== 'GET')
      return Response.json({ message: 'Use GET' }, { status: 405, headers: { allow: 'GET' } })
    const message = url.searchParams.get('q')
    if (message === null) return Response.json({ message: 'Give the message as ?q=' }, { status: 400 })
    opened ??= open(new URL('/skills/', url), env)
    try {
      const library = await opened
      return Response.json(await library.match(message))
    } catch (error) {
      opened = undefined
      if (isSkillshelfError(error)) return Response.json(error.toJSON(), { status: 503 })
      throw error
    }
  },
} satisfies ExportedHandler<Env>

function open(address: URL, env: Env): Promise<SkillLibrary> {
  return openLibrary(http(address, { fetch: (url, init) => env.ASSETS.fetch(url, init) }), { strict: true })
}
