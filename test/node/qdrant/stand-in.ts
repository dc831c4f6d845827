import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** A Python with qdrant-edge-py. */
const python = process.env['QDRANT_EDGE_PYTHON'] ?? `${root}node_modules/.qdrant-edge/bin/python`

/** Whether qdrant-edge-py is installed: `.ci/run` does so. */
export const hasQdrant = existsSync(python)

export interface QdrantStandIn {
  url: string
  folder: string
  stop(): Promise<void>
}

/** Starts a stand-in for the Qdrant server over the engine's own shard code. */
export async function startQdrant({ key }: { key?: string } = {}): Promise<QdrantStandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'qdrant-'))
  const server = spawn(python, [`${root}test/node/qdrant/server.py`, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(key === undefined ? {} : { QDRANT_KEY: key }) },
  })
  const port = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', chunk => resolve(String(chunk).trim()))
    server.once('exit', code => reject(new Error(`The stand-in for Qdrant exited with ${code}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    async stop() {
      server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
