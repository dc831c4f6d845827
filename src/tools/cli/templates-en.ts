import type { Dialect, NewSkill, TemplateTexts } from './template-types.js'

const SCRIPT = `"""Describe in one line what this script does.

The instructions in SKILL.md say when the agent runs it.
"""

import sys


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: example.py INPUT", file=sys.stderr)
        return 2
    print(f"input: {arguments[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
`

const SPEC_FILES = `- \`scripts/example.py\`: run it for steps that must give the same result every time.
- \`references/REFERENCE.md\`: read it for questions about details.
- \`assets/report.md\`: copy it and fill it in.
`

/** The section "Files" of the instructions. */
const FILES: Readonly<Record<Dialect, string>> = {
  spec: SPEC_FILES,
  openseed: SPEC_FILES,
  manusx: SPEC_FILES,
  omniemployee: `- \`reference.md\`: load it for errors and questions about details.
- \`forms.md\`: load it to collect the required fields.
- \`scripts/example.py\`: run it for steps that must give the same result every time.
`,
  tokendance: `- \`resources/example.py\`: run it for steps that must give the same result every time.
- \`resources/guide.md\`: read it for questions about details.
- \`resources/templates/report.md\`: copy it and fill it in.
`,
  'agent-core': '',
}

export const english: TemplateTexts = {
  placeholders: [
    'describe the result in one or two sentences',
    'Describe in one sentence what a good result is, and for whom.',
    'List the required input, and what to do if it is missing.',
    'List the questions to ask first, and the defaults to assume.',
    'Name the tool for each step.',
    'Describe the format: headings, order and length.',
    'List the tasks it is not for.',
    'Describe what this skill does and when to use it.',
    'Describe headings, order and length.',
  ],
  description: title =>
    `Handles ${title}: describe the result in one or two sentences. Use when the user asks for ${title} or mentions the material it works on.`,
  whenToUse: title => `The user asks for ${title}, in any wording.`,
  body: skill => (skill.dialect === 'tokendance' ? sixSections(skill) : plain(skill)),
  reference: `# Reference

Details that are needed only now and then: tables, limits, and error messages
with their fixes. This file costs no tokens until it is read.

| Problem | Fix |
|---------|-----|
| the input cannot be read | explain why, and ask for another file |
`,
  forms: `# Forms

Information to collect before the work starts.

| Field | Example | Required |
|-------|---------|----------|
| input | report.csv | yes |
| deadline | Friday | no |
`,
  asset: `# {{title}}

## Summary

{{summary}}

## Details

{{details}}
`,
  script: SCRIPT,
  triggers: title => ({
    comment: `Messages that should open this skill, and messages that should not.
Run them with: npx skillshelf test
Write them as users do, not in the words of the SKILL.md. Optional:
  skill: other-skill      another skill should come first
  skill: [this, other]    either skill may come first`,
    yes: [`I need help with ${title}`],
    no: 'How tall is Mount Everest?',
  }),
  readme: dialect => `# Skills

Each folder here is a skill: instructions that an agent opens when a message
needs them.

\`\`\`
${layout(dialect)}
\`\`\`

- **${fileName(dialect)}** starts with fields between two \`---\` lines. An agent
  always sees \`name\` and \`description\`, so the description says what the skill
  does and when to use it. The agent reads the text below once it opens the skill.
- **triggers.yaml** lists messages that should open the skill, and messages that
  should not.
- The agent reads or runs other files only when the instructions say so.

\`\`\`sh
npx skillshelf new my-skill${dialect === 'spec' ? '' : ` --dialect ${dialect}`}
npx skillshelf validate .
npx skillshelf test .
npx skillshelf match "a message from a user" --skills .
\`\`\`

The format is defined at https://agentskills.io/specification${
    dialect === 'spec' || dialect === 'openseed' ? '' : `, here in the dialect ${dialect}`
  }.
`,
}

function plain({ title, dialect }: NewSkill): string {
  const files = FILES[dialect]
  return `# ${capitalize(title)}

Describe in one sentence what a good result is, and for whom.

## Before you start

- List the required input, and what to do if it is missing.
- List the questions to ask first, and the defaults to assume.

## Steps

1. Read the input and describe it.
2. Do the work step by step. Name the tool for each step.
3. Check the result against the input.
4. Present the result in the format below.

## Output

Describe the format: headings, order and length. A short example helps more than
a long rule.
${files === '' ? '' : `\n## Files\n\n${files}`}
## Do not

- Do not guess what the input does not say.
- Do not use this skill for other tasks. List the tasks it is not for.
`
}

/** The six sections that TokenDance requires. */
function sixSections({ title }: NewSkill): string {
  return `# ${capitalize(title)}

## Overview

Describe what this skill does and when to use it.

## Workflow

1. **Understand**: find out the goal, the input and the expected format.
2. **Work**: proceed step by step. Name the tool for each step.
3. **Check**: compare the result with the input.
4. **Deliver**: use the format below.

## Tools

### read_file

- Purpose: reads the files of the user.
- Parameters: \`path\`, the location of the file.
- Example: \`read_file(path="input.csv")\`

Files of this skill:

${FILES.tokendance}
## Best practices

- Start with the smallest useful result.
- Say which figures come from the input and which are calculated.

## Output format

Describe headings, order and length. \`resources/templates/report.md\` is a starting point.

## Notes

- Do not guess what the input does not say.
- If two interpretations lead to different results, stop and ask.
`
}

function layout(dialect: Dialect): string {
  if (dialect === 'agent-core')
    return `my-skill/            the folder name is the id
├── skill.md         fields and instructions (required)
└── triggers.yaml    messages for \`skillshelf test\``
  if (dialect === 'tokendance')
    return `my_skill/
├── SKILL.md         fields and instructions (required)
├── resources/       scripts, guides, templates
└── triggers.yaml    messages for \`skillshelf test\``
  if (dialect === 'omniemployee')
    return `my-skill/
├── SKILL.md         fields and instructions (required)
├── reference.md     details and errors, loaded on demand
├── forms.md         information to collect
├── scripts/         programs that the agent may run
└── triggers.yaml    messages for \`skillshelf test\``
  return `my-skill/            lower-case letters, digits and hyphens; same as \`name\`
├── SKILL.md         fields and instructions (required)
├── scripts/         programs that the agent may run
├── references/      documents to read on demand
├── assets/          templates, images, data
└── triggers.yaml    messages for \`skillshelf test\``
}

function fileName(dialect: Dialect): string {
  return dialect === 'agent-core' ? 'skill.md' : 'SKILL.md'
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
