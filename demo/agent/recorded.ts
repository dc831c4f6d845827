import type { Language } from '../texts.js'
import type { Complete, ToolCall } from './agent.js'

/** A message of the user, and what the model did: tool calls, then an answer. Written for the samples; no model is asked. */
interface RecordedTurn {
  message: string
  calls: readonly (readonly [tool: string, input: Readonly<Record<string, string>>])[]
  answer: string
}

const OPEN_PDF = ['load_skill', { skill: 'pdf' }] as const
const READ_SCRIPT = ['read_skill_file', { skill: 'pdf', path: 'scripts/extract_tables.py' }] as const
const OPEN_CONTRACT = ['load_skill', { skill: 'contract-review' }] as const
const OPEN_SLIDES = ['load_skill', { skill: 'ppt' }] as const

const TURNS: Readonly<Record<Language, readonly RecordedTurn[]>> = {
  en: [
    {
      message: 'Extract the tables from report.pdf into CSV files',
      calls: [OPEN_PDF, READ_SCRIPT],
      answer: `The **pdf** skill has a script for this. It needs only Python. Run it where \`report.pdf\` is:

\`\`\`bash
python scripts/extract_tables.py report.pdf --out tables/
\`\`\`

Then check every table:

1. The number of rows is that of the page, also at a page break.
2. Numbers are numbers: no thousands separators, no units.

If the script reports an unsupported font, run \`pdftotext -layout report.pdf page.txt\` first and give it \`page.txt\`.`,
    },
    {
      message: 'Now make slides about the results for our launch',
      calls: [OPEN_SLIDES],
      answer: `An outline for six slides:

| # | Slide | Message |
|---|---|---|
| 1 | Title | What we launch, and when |
| 2 | Problem | What the tables show today |
| 3 | Product | One picture, one sentence |
| 4 | Results | The three numbers of the report |
| 5 | Plan | Dates until the launch |
| 6 | Ask | What we need from the audience |

Shall I write the text of each slide?`,
    },
    {
      message: 'And check the contract with our landlord before I sign it',
      calls: [OPEN_CONTRACT],
      answer: `Send me the text of the contract. I will read it in this order:

- **Term and notice**: when it ends, and how early you must say so.
- **Rent**: what raises it, and by how much.
- **Deposit**: when it comes back, and what may be kept.
- **Repairs**: who pays for what.

I list risks by weight. I am not a lawyer.`,
    },
  ],
  zh: [
    {
      message: '把 report.pdf 里的表格提取成 CSV 文件',
      calls: [OPEN_PDF, READ_SCRIPT],
      answer: `**pdf** 技能自带脚本，只需要 Python。请在 \`report.pdf\` 所在的文件夹运行：

\`\`\`bash
python scripts/extract_tables.py report.pdf --out tables/
\`\`\`

然后检查每个表格：

1. 行数与页面一致，跨页处也不缺行。
2. 数字就是数字：没有千位分隔符，也没有单位。

如果脚本提示不支持的字体，请先运行 \`pdftotext -layout report.pdf page.txt\`，再把 \`page.txt\` 交给脚本。`,
    },
    {
      message: '再根据结果为发布会做一份幻灯片',
      calls: [OPEN_SLIDES],
      answer: `六页幻灯片的大纲：

| 页 | 标题 | 要点 |
|---|---|---|
| 1 | 封面 | 发布什么，何时发布 |
| 2 | 问题 | 表格显示的现状 |
| 3 | 产品 | 一张图，一句话 |
| 4 | 结果 | 报告里的三个数字 |
| 5 | 计划 | 发布前的日程 |
| 6 | 请求 | 需要听众做什么 |

要我写出每一页的文字吗？`,
    },
    {
      message: '签约前再帮我看看和房东的合同',
      calls: [OPEN_CONTRACT],
      answer: `请把合同文本发给我，我会按这个顺序阅读：

- **租期与通知**：何时到期，需要提前多久通知。
- **租金**：什么情况下上涨，涨多少。
- **押金**：何时退还，可以扣除什么。
- **维修**：哪些由谁承担。

我会按轻重列出风险。我不是律师。`,
    },
  ],
}

/** A recorded conversation. Its tool calls are run on the open library. */
export interface Recording {
  complete: Complete
  /** The next message of the user; `undefined` at the end. */
  next(): string | undefined
}

export function createRecording(language: Language): Recording {
  const turns = TURNS[language]
  let turn = 0
  return {
    next: () => turns[turn]?.message,
    async complete({ messages }) {
      const { calls, answer } = turns[turn] as RecordedTurn
      // The calls are those of the last message of the user.
      const asked = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
      const done = asked.filter(({ role }) => role === 'tool').length
      const call = calls[done]
      if (call) return { role: 'assistant', content: null, tool_calls: [toCall(call, `${turn}-${done}`)] }
      turn++
      return { role: 'assistant', content: answer }
    },
  }
}

function toCall([name, input]: RecordedTurn['calls'][number], id: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}
