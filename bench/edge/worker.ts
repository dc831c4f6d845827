import { r2 as agentsR2, loadSkillCatalog } from 'agents/skills'
import { edgeCached, type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { createHandler, type ExecutionLike, warm } from '../../src/exports/server.js'
import { model } from '../../worker/model.js'
import { type Env, servedLibrary } from '../../worker/served.js'

/** The deployed Worker with a bucket that counts calls and fails at a given rate. */

const state = { reads: 0, lists: 0, bytes: 0, fail: 0, seed: 1, paths: [] as string[] }

/** Mulberry32 generator: every run has the same failures. */
function chance(): number {
  state.seed = (state.seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

function counted<B extends R2BucketLike>(bucket: B): B {
  return {
    head: (key: string) => bucket.head(key),
    async get(key: string, options?: Parameters<B['get']>[1]) {
      state.reads++
      state.paths.push(key)
      if (chance() < state.fail) throw new Error('read failed by the bench')
      const object = await bucket.get(key, options)
      if (object && 'arrayBuffer' in object) state.bytes += object.size
      return object
    },
    list(options?: Parameters<B['list']>[0]) {
      state.lists++
      return bucket.list(options)
    },
    put: (key: string, value: string, options?: object) => bucket.put(key, value, options),
    delete: (keys: string[]) => bucket.delete(keys),
  } as unknown as B
}

/** Set by the build. */
declare const WARM: boolean
if (WARM) await warm({ embedder: model() })

const handler = createHandler((env: Env) =>
  servedLibrary({ ...env, SKILLS: counted(env.SKILLS) }, model),
)

export default {
  async fetch(
    request: Request,
    env: Env & { PLAIN: R2BucketLike; ASSETS: { fetch(url: string): Promise<Response> } },
    execution: ExecutionLike,
  ): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/bench/state') {
      state.fail = Number(searchParams.get('fail') ?? state.fail)
      return Response.json(state)
    }
    // Baseline: reads of the bucket without the library.
    if (pathname === '/bench/read') {
      const sizes = await Promise.all(
        searchParams.getAll('path').map(async path => {
          const object = await env.SKILLS.get(path)
          return object && 'arrayBuffer' in object ? (await object.arrayBuffer()).byteLength : 0
        }),
      )
      for (const path of searchParams.getAll('asset')) {
        sizes.push(
          (await (await env.ASSETS.fetch(`https://assets.local/${path}`)).arrayBuffer()).byteLength,
        )
      }
      return Response.json(sizes)
    }
    // The same through the cache of the data centre, as the Worker reads a library.
    if (pathname === '/bench/read-cached') {
      const source = edgeCached(r2(env.SKILLS, { name: 'baseline' }))
      const paths = (await request.json()) as string[]
      await Promise.all(paths.map(path => source.read(path)))
      return Response.json(paths.length)
    }
    if (pathname === '/bench/agents') {
      const catalog = await loadSkillCatalog([
        agentsR2(counted(env.PLAIN) as never, { prefix: 'skills/' }),
      ])
      return Response.json({
        text: catalog.prompt()?.length ?? 0,
        skills: catalog.skills.length,
        ...state,
      })
    }
    return handler.fetch(request, env, execution)
  },
}
