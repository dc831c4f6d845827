/** What a provider takes as a tool. Each rule is written in the source that it names. */
export interface Provider {
  name: string
  /** Where the rules are written, and when they were looked up. */
  sources: readonly string[]
  lookedUp: string
  /** Names of tools. */
  toolName: RegExp
  /** Longest description, in characters. */
  maxDescription?: number
  /** Keywords of a schema. */
  keywords: ReadonlySet<string>
  /** Problems of a schema beside its keywords. */
  check?(schema: Schema): string[]
}

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

export interface ProvidedTool {
  name: string
  description: string
  schema: Schema
}

const words = (text: string): Set<string> => new Set(text.split(' '))
const BASIC = 'type description enum items properties required'

const typesOf = ({ type }: Schema): unknown[] => (Array.isArray(type) ? type : [type])

/** Strict tools: all properties are required, and none may be added. */
function strictProblems(schema: Schema): string[] {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: object
    required?: string[]
    additionalProperties?: unknown
  }
  const missing = Object.keys(properties).filter(key => !required.includes(key))
  return [
    ...missing.map(key => `${key} is not required`),
    ...(typesOf(schema).includes('object') && additionalProperties !== false
      ? ['additionalProperties is not false']
      : []),
  ]
}

const onlyOneType = (schema: Schema): string[] =>
  typeof schema['type'] === 'string' ? [] : [`type is ${JSON.stringify(schema['type'])}`]

export const OPENAI_STRICT: Provider = {
  name: 'OpenAI, strict',
  sources: [
    'https://developers.openai.com/api/docs/guides/structured-outputs',
    'https://github.com/langchain-ai/open_deep_research/issues/80',
  ],
  lookedUp: '2026-11-27',
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  maxDescription: 1_024,
  // Those of fine-tuned models, which take the least.
  keywords: words(`${BASIC} additionalProperties anyOf $ref $defs const`),
  check: strictProblems,
}

export const PROVIDERS: readonly Provider[] = [
  {
    ...OPENAI_STRICT,
    name: 'OpenAI',
    check: onlyOneType,
  },
  {
    name: 'Anthropic',
    sources: ['https://platform.claude.com/docs/en/build-with-claude/structured-outputs'],
    lookedUp: '2026-11-27',
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    // Strict tools take no limits of numbers, texts and lists, and need additionalProperties.
    keywords: words(`${BASIC} additionalProperties anyOf allOf $ref $defs const default`),
    check: schema =>
      typesOf(schema).includes('object') && schema['additionalProperties'] !== false
        ? ['additionalProperties is not false']
        : [],
  },
  {
    name: 'Gemini',
    sources: [
      'https://ai.google.dev/api/caching#Schema',
      'https://github.com/google-gemini/gemini-cli/issues/3178',
      'https://github.com/lijunzh/koda/pull/1097',
    ],
    lookedUp: '2026-11-27',
    // 63 in the first version of the API.
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/,
    // additionalProperties in parametersJsonSchema only.
    keywords: words(`${BASIC} additionalProperties anyOf nullable minItems maxItems`),
    check: schema => [
      ...onlyOneType(schema),
      ...('enum' in schema && schema['type'] !== 'string' ? ['enum of another type'] : []),
      ...('format' in schema ? ['format'] : []),
    ],
  },
  {
    name: 'llama.cpp',
    sources: [
      'https://github.com/ggml-org/llama.cpp/pull/16626',
      'https://github.com/lemonade-sdk/lemonade/issues/2691',
    ],
    lookedUp: '2026-11-27',
    toolName: /./,
    // No limits: a grammar repeats its rules as often as they say, up to 2,000 times, and overflows above 2^31.
    keywords: words(`${BASIC} additionalProperties anyOf allOf oneOf const $ref $defs`),
  },
  {
    name: 'Claude Desktop',
    sources: ['https://github.com/anthropics/claude-code/issues/68850'],
    lookedUp: '2026-11-27',
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    keywords: words(`${BASIC} additionalProperties`),
  },
]

/** What a provider refuses of a tool. */
export function problemsOf(provider: Provider, { name, description, schema }: ProvidedTool) {
  const { toolName, maxDescription = Number.POSITIVE_INFINITY } = provider
  return [
    ...(toolName.test(name) ? [] : [`name ${name}`]),
    ...(description.length > maxDescription ? [`description of ${description.length}`] : []),
    ...schemaProblems(provider, schema, name),
  ].map(problem => `${provider.name}: ${problem}`)
}

function schemaProblems(provider: Provider, schema: Schema, at: string): string[] {
  const { properties = {}, items } = schema as {
    properties?: Record<string, Schema>
    items?: Schema
  }
  return [
    ...Object.keys(schema)
      .filter(keyword => !provider.keywords.has(keyword))
      .map(keyword => `${at}: ${keyword}`),
    ...(provider.check?.(schema) ?? []).map(problem => `${at}: ${problem}`),
    ...Object.entries(properties).flatMap(([name, one]) => [
      ...(/^[a-zA-Z_]\w{0,63}$/.test(name) ? [] : [`${at}: argument ${name}`]),
      ...schemaProblems(provider, one, `${at}.${name}`),
    ]),
    ...(items ? schemaProblems(provider, items, `${at}[]`) : []),
  ]
}
