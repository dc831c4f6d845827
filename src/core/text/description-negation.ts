/** A sentence. Line breaks and semicolons end one, too. */
const SENTENCE = /[^.!?;。！？；\n]*(?:[.!?](?!\s|$)[^.!?;。！？；\n]*)*(?:[.!?;。！？；\n]+|$)/g

const NEGATION = new RegExp(
  [
    String.raw`\b(?:do|does|is|are|should|must|would)(?:\s+not|n['’]t)\s+(?:be\s+)?(?:use|used|invoke|invoked|trigger|triggered|activate|activated|apply|applied|fire|load|call|for|intended|meant|suitable|designed|appropriate|cover|covers|handle|handles|include)\b`,
    String.raw`\bnever\s+(?:use|invoke|trigger|activate|apply)\b`,
    String.raw`\bnot\s+(?:to\s+be\s+used\s+|intended\s+|suitable\s+|meant\s+|designed\s+|appropriate\s+|applicable\s+)?(?:for|when|if|to)\b`,
    String.raw`\bnot\s+(?:use|trigger)\b`,
    String.raw`\b(?:skip|avoid)\s+(?:this|it|using|when|for|if)\b`,
    String.raw`\b(?:out\s+of\s+scope|anti-?triggers?|non-?triggers?)\b`,
    String.raw`\b(?:no\s+(?:usar|utilizar|usa|activar|se\s+usa))\b`,
    '(?:不要|请勿|請勿|切勿|不应|不應|不得|不能|不可|勿|不|非)(?:用于|用於|用来|用來|用作|适用|適用|适合|適合|使用|触发|觸發|调用|調用|激活|负责|負責|处理|處理|涉及|包括|包含)',
    '(?:使用しない|使わない|対象外|ではありません|사용하지)',
  ].join('|'),
  'i',
)
/** Phrases that look like a negation but do not exclude a use. */
const FALSE_NEGATION =
  /\b(?:or|how|what|if)\s+not\b|\bnot\s+to\s+mention\b|\b(?:users?|people|they|you|someone)\s+(?:do|does)(?:\s+not|n['’]t)\b|要不要|能不能|可不可以|该不该|該不該|会不会|會不會|不得不/gi
/** A sentence that only points to another skill. */
const REDIRECT =
  /^\s*(?:for\s+(?:that|those|these)\b|use\s+\S+\s+(?:instead|for\s+(?:that|those|these))|(?:instead|rather),?\s+use\b|请改用|請改用|改用|应使用|應使用)/i

/**
 * Removes clauses about what a skill is not for, such as "Do NOT use for X" or 不要用于…, so that their words do not match.
 * A clause reaches from the negation to the end of its sentence. A following sentence that only points to another skill is removed, too.
 */
export function removeNegatedClauses(text: string): string {
  let kept = ''
  let afterNegation = false
  for (const [part] of text.matchAll(SENTENCE)) {
    if (part === '') continue
    if (afterNegation && REDIRECT.test(part)) continue
    const at = part.replace(FALSE_NEGATION, one => '_'.repeat(one.length)).search(NEGATION)
    afterNegation = at >= 0
    kept += at >= 0 ? `${part.slice(0, at)}\n` : part
  }
  return kept
}
