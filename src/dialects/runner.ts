/** What runs a script, by its extension. Text for a prompt: nothing is run here. */
const RUNNERS: Readonly<Record<string, string>> = {
  py: 'uv run',
  sh: 'bash',
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'npx tsx',
  mts: 'npx tsx',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
  lua: 'lua',
  r: 'Rscript',
  jl: 'julia',
  go: 'go run',
  ps1: 'pwsh -File',
}

/** The command that would run a script; `undefined` where its extension says nothing. */
export function runWith(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(RUNNERS, extension) ? `${RUNNERS[extension]} ${quoted(path)}` : undefined
}

/** A path that a shell reads as one word, whatever is in it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
