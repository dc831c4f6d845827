import { MockLanguageModelV3 } from 'ai/test'

/** A scripted model of the AI SDK: calls these tools, one per turn, then answers "Paid." */
export function aiSdkModel(
  calls: readonly { name: string; input: unknown }[],
): MockLanguageModelV3 {
  const rest = {
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
    warnings: [],
  }
  const steps = calls.map(({ name, input }, at) => ({
    content: [
      {
        type: 'tool-call' as const,
        toolCallId: `${at}`,
        toolName: name,
        input: JSON.stringify(input),
      },
    ],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    ...rest,
  }))
  const end = {
    content: [{ type: 'text' as const, text: 'Paid.' }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    ...rest,
  }
  return new MockLanguageModelV3({ doGenerate: [...steps, end] })
}
