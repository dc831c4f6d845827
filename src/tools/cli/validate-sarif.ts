import { join, relative, sep } from 'node:path'
import { VERSION } from '../../core/version.js'
import type { Diagnostic } from '../../skill/diagnostics.js'

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** SARIF 2.1.0, which code hosts show beside lines. Paths are relative to `root`, addresses in the result to `cwd`. */
export function sarif(diagnostics: readonly Diagnostic[], { root, cwd }: { root: string; cwd: string }): object {
  const rules = [...new Set(diagnostics.map(({ code }) => code))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'skillshelf', semanticVersion: VERSION, rules: rules.map(id => ({ id })) } },
        results: diagnostics.map(({ code, severity, message, path = '', line, hint }) => ({
          ruleId: code,
          level: LEVELS[severity],
          message: { text: hint === undefined ? message : `${message}. Fix: ${hint}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: addressOf(relative(cwd, join(root, path))) },
                region: { startLine: line ?? 1 },
              },
            },
          ],
        })),
      },
    ],
  }
}

function addressOf(path: string): string {
  return path.split(sep).map(encodeURIComponent).join('/') || '.'
}
