import { generateText, stepCountIs } from 'ai'
import type { MockLanguageModelV3 } from 'ai/test'
import { generateText as generateText6 } from 'ai6'
import { expect, it } from 'vitest'
import { skillTools } from '../../src/agent/adapters/ai-sdk.js'
import { expectCurrentTools, RESULTS, SCRIPT, start } from './agent-world.js'
import { aiSdkModel } from './ai-sdk-model.js'

/** Types and values of the tool results in the last prompt. */
function toolResults(model: MockLanguageModelV3): { type: string; value: unknown }[] {
  return (model.doGenerateCalls.at(-1)?.prompt ?? []).flatMap(message =>
    message.role === 'tool'
      ? message.content.flatMap(part =>
          part.type === 'tool-result' && 'value' in part.output
            ? [{ type: part.output.type, value: part.output.value }]
            : [],
        )
      : [],
  )
}

const VERSIONS = [
  { version: 6, generate: generateText6 as unknown as typeof generateText },
  { version: 7, generate: generateText },
]

it.each(VERSIONS)(
  '[BY-7] [OE-7] AI SDK $version: an agent loop finds a skill, opens it, reads its file and answers',
  async ({ generate }) => {
    const session = await start()
    const model = aiSdkModel(SCRIPT)
    const turn = await session.prepare({ message: 'check this invoice' })
    const { text } = await generate({
      model,
      system: turn.system,
      prompt: `check this invoice\n${turn.tail}`,
      tools: skillTools(session),
      stopWhen: stepCountIs(5),
    })
    expect(text).toBe('Paid.')
    expect(toolResults(model)).toEqual(RESULTS.map(value => ({ type: 'text', value: expect.stringMatching(value) })))
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toContain('load_skill')
    expect(model.doGenerateCalls[0]?.tools?.[1]).toMatchObject({ inputSchema: { required: ['skill'] } })
    expect(session.open.map(({ skill }) => skill.name)).toEqual(['invoice-check'])
    // The search and the file. Instructions have an entry of their own.
    const [search, , file] = toolResults(model).map(({ value }) => session.countTokens(String(value)))
    expect(session.ledger().toolResults.tokens).toBe(Number(search) + Number(file))
  },
)

it('[BY-7] AI SDK: errors reach the model with their message', async () => {
  const model = aiSdkModel([
    { name: 'load_skill', input: { skill: 'invoice-chek' } },
    { name: 'load_skill', input: { name: 'tea' } },
  ])
  const { steps } = await generateText({
    model,
    prompt: 'go',
    tools: skillTools(await start()),
    stopWhen: stepCountIs(3),
  })
  expect(toolResults(model)).toEqual([
    { type: 'error-text', value: expect.stringContaining('similar names: invoice-check') },
    { type: 'error-text', value: expect.stringContaining('load_skill was not run. skill') },
  ])
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({ isError: true })
})

it('[AC-6] AI SDK: skillTools returns the current tools and descriptions', () => expectCurrentTools(skillTools))

it('[BY-7] AI SDK: an abort reaches the tool', async () => {
  const { load_skill } = skillTools(await start())
  const options = { toolCallId: 'a', messages: [], abortSignal: AbortSignal.abort(), context: {} }
  await expect((async () => load_skill?.execute?.({ skill: 'tea' } as never, options))()).rejects.toMatchObject({
    name: 'AbortError',
  })
})
