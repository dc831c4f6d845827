import { describe, expect, it } from 'vitest'
import { normalizeMessages, saidLast, withText } from '../../src/agent/session/messages.js'

/** Messages as the SDKs have them: what the user said in them, and the end of a conversation with a text added. */

const cache = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const result = (output: object) => ({ type: 'tool-result', toolCallId: '1', toolName: 'x', output })

describe('a text at the end of a conversation', () => {
  const before = { role: 'assistant', content: 'Done.' }

  it.each<[string, last: object, end: object[]]>([
    [
      'the Prompt API',
      { role: 'user', content: [{ type: 'text', value: 'a' }] },
      [
        {
          role: 'user',
          content: [
            { type: 'text', value: 'a' },
            { type: 'text', value: 'TAIL' },
          ],
        },
      ],
    ],
    [
      'a custom tool of Responses',
      { type: 'custom_tool_call_output', call_id: '1', output: 'a' },
      [{ type: 'custom_tool_call_output', call_id: '1', output: 'a\n\nTAIL' }],
    ],
    [
      'the AI SDK, what Anthropic caches',
      { role: 'user', content: [{ type: 'text', text: 'a' }], providerOptions: cache },
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', providerOptions: cache },
            { type: 'text', text: 'TAIL' },
          ],
        },
      ],
    ],
    [
      'the AI SDK, a string that Anthropic caches',
      { role: 'user', content: 'a', providerOptions: cache },
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', providerOptions: cache },
            { type: 'text', text: 'TAIL' },
          ],
        },
      ],
    ],
    ...[result({ type: 'json', value: [1] }), result({ type: 'json', value: 'a' })].map(
      part =>
        [
          `the AI SDK, ${JSON.stringify(part.output)}`,
          { role: 'tool', content: [part] },
          [
            { role: 'tool', content: [part] },
            { role: 'user', content: [{ type: 'text', text: 'TAIL' }] },
          ],
        ] as [string, object, object[]],
    ),
    [
      'the AI SDK, an approval',
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: '1' }] },
      [
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: '1' }] },
        { role: 'user', content: [{ type: 'text', text: 'TAIL' }] },
      ],
    ],
  ])('[BY-29] %s', (_, last, end) => {
    const given = [before, last]
    const copy = structuredClone(given)
    expect(withText(given, 'TAIL')).toEqual([before, ...end])
    expect(given).toEqual(copy)
  })
})

describe('what the user said', () => {
  it.each<[string, object]>([
    [
      'results of a search, of Anthropic',
      {
        role: 'user',
        content: [
          { type: 'search_result', title: 'x', content: [{ type: 'text', text: 'an invoice' }] },
          { type: 'text', text: 'tie a knot' },
        ],
      },
    ],
    [
      'a result of a tool, of Gemini',
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'x', response: { output: 'an invoice' } } },
          { text: 'tie a knot' },
        ],
      },
    ],
    [
      'a result of a tool, of Bedrock',
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: '1', content: [{ text: 'an invoice' }] } },
          { text: 'tie a knot' },
        ],
      },
    ],
  ])('[BY-29] %s is not', (_, message) => {
    const messages = normalizeMessages([message])
    expect(messages.map(({ role }) => role)).toEqual(['tool', 'user'])
    expect(messages[0]?.content).toContain('an invoice')
    expect(saidLast(messages).message).toBe('tie a knot')
  })

  it('[BY-29] a result alone is another step of the turn', () => {
    const part = { functionResponse: { name: 'x', response: { output: 'an invoice' } } }
    const said = saidLast(
      normalizeMessages([
        { role: 'user', parts: [{ text: 'tie a knot' }] },
        { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] },
        { role: 'user', parts: [part] },
      ]),
    )
    expect(said).toMatchObject({ message: 'tie a knot', isContinued: true })
  })

  it('[BY-29] tuples of LangChain are an error, not messages of nobody', () => {
    const tuples = [['human', 'tie a knot']] as unknown as { role: string }[]
    expect(() => normalizeMessages(tuples)).toThrow('"messages" must be an array of messages')
  })
})
