import type { SentError } from './envelope.js'

/** A call that a worker answers: what goes in, what comes out, and what its progress tells. All of it plain data. */
export interface Call<Input, Output, Step = never> {
  input: Input
  output: Output
  step: Step
}

/** The calls of a worker by name. */
export type Calls<All> = { [Name in keyof All]: Call<unknown, unknown, unknown> }

export type Answer = { value: unknown } | { error: SentError }

/** The worker, as the page sees it. A call has a number, by which it is cancelled and its progress is told. */
export interface WorkerSide {
  call(number: number, name: string, input: unknown): Promise<Answer>
  cancel(number: number): void
}

/** The page, as the worker sees it. */
export interface PageSide {
  /** The script serves now. `lock` is held for as long as it lives. */
  hello(lock?: string): void
  progress(number: number, step: unknown): void
}
