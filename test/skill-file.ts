/**
 * A SKILL.md. Name and description are quoted and can contain any text.
 * @param fields More lines of the frontmatter, each with its line feed.
 */
export function skill(
  name: string,
  description = `Does ${name}.`,
  body = `How to do ${name}.`,
  fields = '',
): string {
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n${fields}---\n\n${body}\n`
}
