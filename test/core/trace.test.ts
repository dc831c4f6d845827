import fc from 'fast-check'
import { describe, it } from 'vitest'
import { describeStep, step } from '../trace/steps.js'
import { runTrace } from '../trace/trace.js'
import { WORLDS } from '../trace/worlds.js'

describe('any order of steps', () => {
  for (const [name, createWorld] of Object.entries(WORLDS)) {
    it(`[BY-41] leaves a library that equals one rebuilt from its files: ${name}`, async () => {
      const env = (globalThis as { process?: { env: Record<string, string> } }).process?.env ?? {}
      const property = fc.asyncProperty(
        fc.array(
          step.map(one => (env['NOFAULT'] ? { ...one, fault: undefined } : one)),
          { minLength: Number(env['MIN'] ?? 3), maxLength: 20, size: 'max' },
        ),
        fc.scheduler(),
        async (steps, order) => {
          await runTrace(createWorld, steps, { order, seed: 1 })
        },
      )
      const r = await fc.check(property, {
        ...(env['FPATH'] ? { path: env['FPATH'], endOnFailure: true } : {}),
        numRuns: Number(env['RUNS'] ?? 3),
        seed: Number(env['SEED'] ?? 1),
        verbose: 0,
        interruptAfterTimeLimit: 60000,
      })
      if (r.failed) {
        const e = r.errorInstance as Error
        throw new Error(
          `${name} seed ${r.seed} path ${r.counterexamplePath} runs ${r.numRuns}\n${r.counterexample?.[0].map(describeStep).join('\n')}\n${e.stack}\n${(e as any).diff ?? ''}\n${env['LONG'] ? JSON.stringify([(e as any).actual, (e as any).expected], null, 1) : ''}`,
        )
      }
    })
  }
})
