import type { Session, SessionActivity } from 'skillshelf/session'

// These types match those of `@opentelemetry/api`, which is not needed at run time.

/** The part of an OpenTelemetry `Tracer` that this module uses. */
export interface SkillTracer {
  startSpan(
    name: string,
    options?: { startTime?: number; attributes?: Record<string, string | number | string[]> },
  ): { setStatus(status: { code: number }): unknown; end(endTime?: number): void }
}

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const ERROR = 2

/**
 * Writes a span for each activity of a session, with the GenAI names of OpenTelemetry. Texts of messages and skills are not written.
 *
 * @param session The session.
 * @param tracer A tracer of `@opentelemetry/api`.
 * @returns Stops writing.
 */
export function traceSession(session: Session, tracer: SkillTracer): () => void {
  return session.on('activity', activity => {
    const { type, startedAt, duration, tool, error } = activity
    const subject = tool ?? activity.skill
    const span = tracer.startSpan([operationOf(activity), subject].filter(Boolean).join(' '), {
      startTime: startedAt,
      attributes: {
        'gen_ai.operation.name': operationOf(activity),
        'skillshelf.activity': type,
        ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool, 'gen_ai.tool.type': 'function' }),
        ...(activity.skill === undefined ? {} : { 'skillshelf.skill': activity.skill }),
        ...(activity.path === undefined ? {} : { 'skillshelf.path': activity.path }),
        ...(activity.tokens === undefined ? {} : { 'skillshelf.tokens': activity.tokens }),
        ...(activity.matches ? { 'skillshelf.matches': activity.matches.map(({ id }) => id) } : {}),
        ...(activity.skills ? { 'skillshelf.skills': [...activity.skills] } : {}),
        ...(error === undefined ? {} : { 'error.type': error }),
      },
    })
    if (error !== undefined) span.setStatus({ code: ERROR })
    span.end(startedAt + duration)
  })
}

function operationOf({ type }: SessionActivity): string {
  return type === 'tool' ? 'execute_tool' : type === 'prepare' ? 'retrieval' : type
}
