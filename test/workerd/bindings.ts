import { createHandler, type SkillHandler, warm } from '../../src/exports/server.js'
import { model } from '../../worker/model.js'
import { type Env, servedLibrary } from '../../worker/served.js'

// Workers forbid timers and reads at module scope: the script does not start if this needs one.
const warmed = [await warm(), await warm({ embedder: model() })]

const workers = new Map<string, SkillHandler<Env>>()

/**
 * At `/with/<bindings>/` it is the Worker of the repository, opened for these bindings in JSON.
 * To start workerd for each test would take longer than the tests. Elsewhere it says whether it is warm.
 */
export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    const [, bindings, path] = /\/with\/([^/]*)(.*)$/.exec(request.url) ?? []
    if (bindings === undefined || path === undefined) return Response.json(warmed)
    const worker = workers.get(bindings) ?? createHandler((own: Env) => servedLibrary(own, model))
    workers.set(bindings, worker)
    const own = JSON.parse(decodeURIComponent(bindings)) as Partial<Env>
    return worker.fetch(new Request(new URL(path, request.url), request), { ...env, ...own })
  },
}
