import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The SDKs of `examples/agents`. They are too large for the project itself, so tests with them are skipped where they are missing. */

export const agentExamples = fileURLToPath(new URL('../../examples/agents/', import.meta.url))

const { dependencies } = JSON.parse(readFileSync(`${agentExamples}package.json`, 'utf8')) as {
  dependencies: Record<string, string>
}

/** Names of the packages, without `skillshelf`. */
export const sdkPackages = Object.keys(dependencies).filter(name => name !== 'skillshelf')

export const hasSdks = sdkPackages.every(name => existsSync(`${agentExamples}node_modules/${name}`))
