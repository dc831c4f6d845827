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
 * `gen_ai.skill.*` are those of https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/execute-tool.md#agent-skills,
 * looked up on 2026-11-28. A tool has those of the skill that it opened or read.
 *
 * @param session The session.
 * @param tracer A tracer of `@opentelemetry/api`.
 * @returns Stops writing.
 */
export function traceSession(session: Session, tracer: SkillTracer): () => void {
  /** Skills that were opened or read, for the tool around them, which ends later. */
  let inner: SessionActivity[] = []
  return session.on('activity', activity => {
    const { type, startedAt, duration, tool, error } = activity
    if (type !== 'tool') inner.push(activity)
    else inner = inner.filter(one => one.startedAt >= startedAt)
    const used = type === 'tool' ? onlySkill(inner) : activity
    if (type === 'tool' || type === 'prepare') inner = []
    const subject = tool ?? activity.skill
    const span = tracer.startSpan([operationOf(activity), subject].filter(Boolean).join(' '), {
      startTime: startedAt,
      attributes: {
        'gen_ai.operation.name': operationOf(activity),
        'skillshelf.activity': type,
        ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool, 'gen_ai.tool.type': 'function' }),
        ...(activity.skill === undefined ? {} : { 'skillshelf.skill': activity.skill }),
        ...skillAttributes(session, used),
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

/** The activity that names a skill. `undefined` if several skills were used, as by tools that run at once. */
function onlySkill(activities: readonly SessionActivity[]): SessionActivity | undefined {
  const named = activities.filter(({ skill }) => skill !== undefined)
  return new Set(named.map(({ skill }) => skill)).size === 1 ? named.at(-1) : undefined
}

/** A name that no skill has is what a model asked for, not the name of a skill. */
function skillAttributes(session: Session, used: SessionActivity | undefined) {
  if (used?.skill === undefined) return {}
  const opened = session.open.find(({ skill }) => skill.id === used.skill)?.skill
  const skill = opened ?? session.library.snapshot.skills.find(({ id }) => id === used.skill)
  return {
    ...(skill ? { 'gen_ai.skill.name': skill.name } : {}),
    ...(opened ? { 'gen_ai.skill.source.uri': opened.root } : {}),
    ...(used.path === undefined ? {} : { 'gen_ai.skill.resource.name': used.path }),
  }
}
