/** A Markdown table. Columns of numbers are aligned right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const align = head.map((_, column) =>
    rows.every(row => /^[\d.,×+−-]*$/.test(row[column] ?? '')) ? '---:' : '---',
  )
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(align), ...rows.map(line)].join('\n')
}
