import type { Dialect, NewSkill, TemplateTexts } from './template-types.js'
import { english } from './templates-en.js'

const SPEC_FILES = `- \`scripts/example.py\`：需要结果每次一致的步骤，运行它。
- \`references/REFERENCE.md\`：涉及细节时再读。
- \`assets/report.md\`：复制后填写。
`

const FILES: Readonly<Record<Dialect, string>> = {
  spec: SPEC_FILES,
  openseed: SPEC_FILES,
  manusx: SPEC_FILES,
  omniemployee: `- \`reference.md\`：出错或涉及细节时加载。
- \`forms.md\`：需要收集字段时加载。
- \`scripts/example.py\`：需要结果每次一致的步骤，运行它。
`,
  tokendance: `- \`resources/example.py\`：需要结果每次一致的步骤，运行它。
- \`resources/guide.md\`：涉及细节时再读。
- \`resources/templates/report.md\`：复制后填写。
`,
  'agent-core': '',
}

export const chinese: TemplateTexts = {
  placeholders: [
    '用一两句话说明产出什么',
    '用一句话写明：好的结果是什么样的，给谁用。',
    '列出需要的输入，以及缺少时的处理办法。',
    '列出必须先问的问题，以及可以采用的默认值。',
    '每一步写明所用工具。',
    '写明标题、顺序与篇幅',
    '写明本技能不适用的情况。',
    '写明本技能能做什么、何时使用。',
  ],
  description: title => `处理${title}：用一两句话说明产出什么。当用户需要${title}，或提到相关材料时使用。`,
  whenToUse: title => `用户需要${title}，不论用什么说法。`,
  body: skill => (skill.dialect === 'tokendance' ? sixSections(skill) : plain(skill)),
  reference: `# 参考

不常用的内容放在这里：对照表、限制、报错及处理办法。读取之前不占用 token。

| 问题 | 处理 |
|------|------|
| 输入无法读取 | 说明原因，请用户换一份 |
`,
  forms: `# 表单

开始之前需要收集的信息。

| 字段 | 示例 | 必填 |
|------|------|------|
| 输入 | report.csv | 是 |
| 截止时间 | 周五 | 否 |
`,
  asset: `# {{标题}}

## 摘要

{{摘要}}

## 细节

{{细节}}
`,
  script: english.script,
  triggers: title => ({
    comment: `应当打开本技能的消息，以及不应当打开本技能的消息。
运行：npx skillshelf test
按用户的口吻写，不要照抄 SKILL.md。可选字段：
  skill: other-skill      应当由另一个技能排在首位
  skill: [this, other]    两个技能都可以排在首位`,
    yes: [`请帮我做${title}`],
    no: '珠穆朗玛峰海拔是多少',
  }),
  readme: dialect => `# 技能

这里的每个文件夹都是一个技能，即智能体在需要时打开的操作说明。

\`\`\`
${layout(dialect)}
\`\`\`

- **${dialect === 'agent-core' ? 'skill.md' : 'SKILL.md'}** 开头两行 \`---\` 之间是字段。智能体始终能看到 \`name\` 和
  \`description\`，因此描述要写明做什么、何时用。下面的正文在技能打开后才读取。
- **triggers.yaml** 列出应当打开该技能的消息，以及不应当打开的消息。
- 其余文件只在正文要求时读取或运行。

\`\`\`sh
npx skillshelf new my-skill${dialect === 'spec' ? '' : ` --dialect ${dialect}`} --lang zh
npx skillshelf validate .
npx skillshelf test .
npx skillshelf match "用户会说的话" --skills .
\`\`\`

格式见 https://agentskills.io/specification${dialect === 'spec' || dialect === 'openseed' ? '' : `，方言：${dialect}`}。
`,
}

function plain({ title, dialect }: NewSkill): string {
  const files = FILES[dialect]
  return `# ${title}

用一句话写明：好的结果是什么样的，给谁用。

## 开始之前

- 列出需要的输入，以及缺少时的处理办法。
- 列出必须先问的问题，以及可以采用的默认值。

## 步骤

1. 读取输入，说明它的内容。
2. 逐步完成，每一步写明所用工具。
3. 对照输入检查结果。
4. 按下面的格式交付。

## 输出

写明标题、顺序与篇幅；一个短例子胜过一条长规则。
${files === '' ? '' : `\n## 文件\n\n${files}`}
## 不要

- 输入没有写的，不要猜。
- 不要用于其他任务；写明本技能不适用的情况。
`
}

/** The six sections that TokenDance requires. */
function sixSections({ title }: NewSkill): string {
  return `# ${title}

## 能力概述

写明本技能能做什么、何时使用。

## 工作流程

1. **理解**：弄清目标、输入和期望的格式。
2. **执行**：逐步完成，每一步写明所用工具。
3. **检查**：对照输入核对结果。
4. **交付**：按下面的格式输出。

## 工具使用

### read_file

- 用途：读取用户的文件。
- 参数：\`path\`，文件的位置。
- 示例：\`read_file(path="input.csv")\`

本技能的文件：

${FILES.tokendance}
## 最佳实践

- 先给出最小可用的结果。
- 说明哪些数字来自输入，哪些是计算得出的。

## 输出格式

写明标题、顺序与篇幅；可以从 \`resources/templates/report.md\` 开始。

## 注意事项

- 输入没有写的，不要猜。
- 两种理解会得到不同结果时，停下来询问用户。
`
}

function layout(dialect: Dialect): string {
  if (dialect === 'agent-core')
    return `my-skill/            文件夹名就是 id
├── skill.md         字段与正文（必需）
└── triggers.yaml    供 skillshelf test 使用的消息`
  if (dialect === 'tokendance')
    return `my_skill/
├── SKILL.md         字段与正文（必需）
├── resources/       脚本、指南、模板
└── triggers.yaml    供 skillshelf test 使用的消息`
  if (dialect === 'omniemployee')
    return `my-skill/
├── SKILL.md         字段与正文（必需）
├── reference.md     细节与报错，需要时加载
├── forms.md         需要询问的字段
├── scripts/         智能体可以运行的程序
└── triggers.yaml    供 skillshelf test 使用的消息`
  return `my-skill/            小写字母、数字和连字符，与 name 相同
├── SKILL.md         字段与正文（必需）
├── scripts/         智能体可以运行的程序
├── references/      需要时阅读的文本
├── assets/          模板、图片、数据
└── triggers.yaml    供 skillshelf test 使用的消息`
}
