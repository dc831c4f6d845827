import type { SentError } from './error-transfer.js'

/** A call that a worker answers: its input, output and progress steps, all of them plain data. */
export interface Call<Input, Output, Step = never> {
  input: Input
  output: Output
  step: Step
}

/** The calls of a worker, by name. */
export type Calls<All> = { [Name in keyof All]: Call<unknown, unknown, unknown> }

export type Answer = { value: unknown } | { error: SentError }

/** The worker, as the page calls it. The number of a call identifies it for cancellation and progress. */
export interface WorkerSide {
  call(number: number, name: string, input: unknown): Promise<Answer>
  cancel(number: number): void
}

/** The page, as the worker calls it. */
export interface PageSide {
  /** The worker is ready. It holds `lock` until it ends. */
  hello(lock?: string): void
  progress(number: number, step: unknown): void
}
