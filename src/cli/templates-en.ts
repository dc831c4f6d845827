import type { Dialect, NewSkill, TemplateTexts } from './template-types.js'

const SCRIPT = `"""Says what this script does, in one line.

Nothing runs this by itself: the instructions tell the agent when to.
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

/** What is read first, by dialect: where its files are. */
const FILES: Readonly<Record<Dialect, string>> = {
  spec: `- \`scripts/example.py\`: run it for steps that must come out the same every time.
- \`references/REFERENCE.md\`: read it only when the question is about details.
- \`assets/report.md\`: copy it and fill it in.
`,
  openseed: `- \`scripts/example.py\`: run it for steps that must come out the same every time.
- \`references/REFERENCE.md\`: read it only when the question is about details.
- \`assets/report.md\`: copy it and fill it in.
`,
  manusx: `- \`scripts/example.py\`: run it for steps that must come out the same every time.
- \`references/REFERENCE.md\`: read it only when the question is about details.
- \`assets/report.md\`: copy it and fill it in.
`,
  omniemployee: `- \`reference.md\`: load it when something goes wrong or the question is about details.
- \`forms.md\`: load it when fields have to be collected.
- \`scripts/example.py\`: run it for steps that must come out the same every time.
`,
  tokendance: `- \`resources/example.py\`: run it for steps that must come out the same every time.
- \`resources/guide.md\`: read it only when the question is about details.
- \`resources/templates/report.md\`: copy it and fill it in.
`,
  'agent-core': '',
}

export const english: TemplateTexts = {
  description: title =>
    `Handles ${title}: say here in one or two sentences what comes out. Use it when the user asks for ${title} or names what it works on.`,
  whenToUse: title => `The user asks for ${title}, in these words or in others.`,
  body: skill => (skill.dialect === 'tokendance' ? sixSections(skill) : plain(skill)),
  reference: `# Reference

What is needed only now and then: tables, limits, error messages and what to do
about them. It costs no tokens until it is read.

| Problem | What to do |
|---------|------------|
| the input cannot be read | say so, and ask for another one |
`,
  forms: `# Forms

What has to be known before the work starts.

| Field | Example | Needed |
|-------|---------|--------|
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
    comment: `Messages that should (or should not) open this skill; run them with: npx skillshelf test
Write them as people do, not in the words of the SKILL.md. Also possible:
  skill: other-skill      another skill should come first
  skill: [this, other]    either may`,
    yes: [`I need help with ${title}`],
    no: 'How tall is Mount Everest?',
  }),
  readme: dialect => `# Skills

Each folder here is a skill: instructions that an agent opens when a message
calls for them.

\`\`\`
${layout(dialect)}
\`\`\`

- **${fileName(dialect)}** starts with a few fields between two \`---\` lines. \`name\`
  and \`description\` are what an agent always sees; say in the description what
  the skill does and when to use it. The text below is read once it is opened.
- **triggers.yaml** holds messages that should open the skill, and some that
  should not.
- Other files are read or run only when the instructions say so.

\`\`\`sh
npx skillshelf new my-skill${dialect === 'spec' ? '' : ` --dialect ${dialect}`}
npx skillshelf validate .
npx skillshelf test .
npx skillshelf match "what a user would say" --skills .
\`\`\`

The format is that of https://agentskills.io/specification${
    dialect === 'spec' || dialect === 'openseed' ? '' : `, in the dialect ${dialect}`
  }.
`,
}

function plain({ title, dialect }: NewSkill): string {
  const files = FILES[dialect]
  return `# ${capital(title)}

Say in a sentence what good work looks like here, and for whom.

## Before you start

- Which input is needed, and what to do when it is missing.
- What must be asked first, and what may be assumed.

## Steps

1. Look at the input and say what it is.
2. Do the work, one step after the other; name the tool for each.
3. Check the result against the input.
4. Hand it over in the form below.

## Output

Describe the form: headings, order, length. A short example helps more than a
long rule.
${files === '' ? '' : `\n## Files\n\n${files}`}
## Do not

- Do not guess what the input does not say.
- Do not use this skill for anything else; say what it is not for.
`
}

/** The six sections that TokenDance asks for. */
function sixSections({ title }: NewSkill): string {
  return `# ${capital(title)}

## Overview

Say what this skill is able to do, and in which cases it is the right one.

## Workflow

1. **Understand**: find out the goal, the input and the form that is wanted.
2. **Work**: one step after the other; name the tool for each.
3. **Check**: compare the result with the input.
4. **Hand over**: in the form below.

## Tools

### read_file

- Purpose: reads what the user gave.
- Parameters: \`path\`, where the file is.
- Example: \`read_file(path="input.csv")\`

Files of this skill:

${FILES.tokendance}
## Best practices

- Begin with the smallest result that is of use.
- Say which figures come from the input and which were worked out.

## Output format

Describe headings, order and length; \`resources/templates/report.md\` is a start.

## Notes

- Do not guess what the input does not say.
- Stop and ask when two readings lead to different results.
`
}

function layout(dialect: Dialect): string {
  if (dialect === 'agent-core')
    return `my-skill/            the id is the folder's name
├── skill.md         fields and instructions (needed)
└── triggers.yaml    messages for \`skillshelf test\``
  if (dialect === 'tokendance')
    return `my_skill/
├── SKILL.md         fields and instructions (needed)
├── resources/       scripts, guides, templates
└── triggers.yaml    messages for \`skillshelf test\``
  if (dialect === 'omniemployee')
    return `my-skill/
├── SKILL.md         fields and instructions (needed)
├── reference.md     details and errors, loaded when needed
├── forms.md         what to ask for
├── scripts/         programs that the agent may run
└── triggers.yaml    messages for \`skillshelf test\``
  return `my-skill/            lower-case letters, digits and hyphens, as \`name\`
├── SKILL.md         fields and instructions (needed)
├── scripts/         programs that the agent may run
├── references/      texts to read when needed
├── assets/          templates, images, data
└── triggers.yaml    messages for \`skillshelf test\``
}

function fileName(dialect: Dialect): string {
  return dialect === 'agent-core' ? 'skill.md' : 'SKILL.md'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
