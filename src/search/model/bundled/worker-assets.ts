interface Assets {
  fetch(url: string): Promise<Response>
}

/** In a variable, because only Workers have this module, and bundlers for pages would look for it. */
const WORKERS = 'cloudflare:workers'
const FOLDERS = ['', 'model/']

/** Reads a file from the static assets of a Worker, the binding `ASSETS`. `undefined` if they do not have it. */
export async function readAsset(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { env } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ WORKERS)) as {
    env?: { ASSETS?: Assets }
  }
  for (const folder of FOLDERS) {
    const response = await env?.ASSETS?.fetch(`https://assets.local/${folder}${name}`)
    // Assets of single-page apps have a page in place of a missing file.
    if (response?.ok && !response.headers.get('content-type')?.startsWith('text/html')) {
      return new Uint8Array(await response.arrayBuffer())
    }
    await response?.body?.cancel()
    if (response && !response.ok && response.status !== 404) {
      throw new Error(`${name}: ${response.status}`)
    }
  }
  return undefined
}
