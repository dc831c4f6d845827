const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * A response whose body ends with an error after too many bytes. In a stream of events, each event has as many: a stream that is watched
 * does not end.
 * @param onExcess Returns the error.
 */
export function limitedResponse(
  response: Response,
  maxBytes: number,
  onExcess: () => Error,
): Response {
  const { body, status, statusText, headers, url } = response
  if (!body) return response
  const isStream = (headers.get('content-type') ?? '').startsWith('text/event-stream')
  const count = isStream ? bytesOfEvent() : bytesOfAll()
  const limited = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        if (count(chunk) > maxBytes) throw onExcess()
        controller.enqueue(chunk)
      },
    }),
  )
  const copy = new Response(limited, { status, statusText, headers })
  return Object.defineProperty(copy, 'url', { value: url })
}

function bytesOfAll(): (chunk: Uint8Array) => number {
  let bytes = 0
  return chunk => {
    bytes += chunk.length
    return bytes
  }
}

/** Counts the bytes since the last blank line, which ends an event. */
function bytesOfEvent(): (chunk: Uint8Array) => number {
  let bytes = 0
  let isLineStart = false
  return chunk => {
    for (const byte of chunk) {
      bytes++
      if (byte === LINE_FEED) {
        if (isLineStart) bytes = 0
        isLineStart = true
      } else if (byte !== CARRIAGE_RETURN) isLineStart = false
    }
    return bytes
  }
}
