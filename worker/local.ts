import type { ExecutionLike } from '../src/exports/server.js'
import worker from './index.js'
import type { Env } from './served.js'

const LOCAL_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Worker of `npm run dev:edge`. It refuses other host names and pages of other origins, which DNS rebinding would let in. */
export default {
  async fetch(request: Request, env: Env, execution: ExecutionLike): Promise<Response> {
    const { headers } = request
    const origin = headers.get('origin')
    const isLocal =
      isLocalAddress(`http://${headers.get('host')}`) && (origin === null || isLocalAddress(origin))
    return isLocal
      ? worker.fetch(request, env, execution)
      : new Response('This server accepts local requests only.\n', { status: 403 })
  },
}

function isLocalAddress(address: string): boolean {
  return URL.canParse(address) && LOCAL_HOST.test(new URL(address).hostname)
}
