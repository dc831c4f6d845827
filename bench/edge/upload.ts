import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compressed upload size of `wrangler deploy`, in KiB. */
export function uploads(): string[][] {
  return [
    ['with the bundled model', 'wrangler.toml', '3,072'],
    ['keywords only', 'worker/keywords.toml', ''],
  ].map(([what, config, limit]) => {
    const printed = execFileSync(
      process.execPath,
      [
        `${root}node_modules/wrangler/bin/wrangler.js`,
        'deploy',
        '--dry-run',
        '--config',
        config as string,
      ],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
      },
    )
    const [, size = '?'] = /gzip: ([\d.]+) KiB/.exec(printed) ?? []
    return [what as string, size, limit as string]
  })
}
