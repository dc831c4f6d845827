import { escapeAttribute, escapeText, plainLine } from '../../core/sanitize.js'
import type { SkillLibrary } from '../../library/skill-library.js'
import type { Language } from '../../search/match/skill-match.js'
import type { SkillSummary } from '../../skill/skill.js'
import { MAX_MESSAGE_IN_URL } from './schemas.js'

/** Content security policy of the search page: styles and its own form only. The page has no script. */
export const SEARCH_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const MAX_RESULTS = 10
/** Skills listed before the first search. */
const MAX_LISTED = 100

const TEXTS = {
  en: {
    title: 'Find a skill',
    label: 'Your message',
    button: 'Search',
    results: 'Nearest skills',
    none: 'No skill has a word or a meaning in common with this message.',
    score: 'Score',
    all: (skills: number) => `All skills (${skills})`,
    more: (skills: number) => `… and ${skills} more`,
    api: 'REST API',
    mcp: 'MCP endpoint',
    install: 'Install with npx skills add and the address of this page.',
  },
  zh: {
    title: '查找技能',
    label: '您的消息，任何语言均可',
    button: '搜索',
    results: '最接近的技能',
    none: '没有技能与这条消息有共同的词语或含义。',
    score: '得分',
    all: (skills: number) => `全部技能（${skills}）`,
    more: (skills: number) => `……另有 ${skills} 个`,
    api: 'REST API',
    mcp: 'MCP 端点',
    install: '用 npx skills add 加本页地址安装。',
  },
} satisfies Record<Language, unknown>

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:44rem;margin:2rem auto;padding:0 1rem;background:Canvas;color:CanvasText}
form{display:flex;flex-wrap:wrap;gap:.5rem}label{flex-basis:100%}input{flex:1 1 12rem;min-width:0}input,button{font:inherit;padding:.5rem .75rem}
ol,ul{list-style:none;padding:0}li{border-top:1px solid #8884;padding:.75rem 0}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
h3{font-size:1rem;margin:0;display:flex;justify-content:space-between;gap:1rem}p{margin:.25rem 0;overflow-wrap:anywhere}
.score{font-weight:normal;white-space:nowrap}.reason{font-size:.9em;border-left:3px solid #888;padding-left:.5rem}footer{margin-top:2rem;border-top:1px solid #8884}`

/** The language of the page: Chinese if the browser prefers it, else English. */
export function pageLanguage(acceptLanguage: string | null): Language {
  return /^\s*zh\b/i.test(acceptLanguage ?? '') ? 'zh' : 'en'
}

/** Renders the search page, with results if there is a message. All links are relative, so it works below any path. */
export async function searchPage(
  library: SkillLibrary,
  { message, language, signal }: { message: string; language: Language; signal: AbortSignal },
): Promise<string> {
  const texts = TEXTS[language]
  const query = message.trim().slice(0, MAX_MESSAGE_IN_URL)
  const content =
    query === '' ? listing(library.snapshot.skills, language) : await results(library, query, language, signal)
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>skillshelf: ${texts.title}</title><style>${STYLE}</style>
<main><h1>${texts.title}</h1>
<search><form><label for="message">${texts.label}</label><input id="message" name="message" type="search" required maxlength="${MAX_MESSAGE_IN_URL}" value="${escapeAttribute(query)}"><button>${texts.button}</button></form></search>
${content}
</main><footer><p><a href="docs">${texts.api}</a> · <a href="openapi.json">OpenAPI</a> · <a href="mcp">${texts.mcp}</a></p><p>${texts.install}</p></footer></html>`
}

async function results(library: SkillLibrary, query: string, language: Language, signal: AbortSignal): Promise<string> {
  const texts = TEXTS[language]
  const { matches } = await library.search(query, { limit: MAX_RESULTS, language, signal })
  const byId = new Map(library.snapshot.skills.map(skill => [skill.id, skill]))
  const items = matches.flatMap(({ id, score, reason }) => {
    const skill = byId.get(id)
    const scored = `<span class="score">${texts.score} ${score.toFixed(2)}</span>`
    return skill ? [item(skill, scored, `<p class="reason">${line(reason)}</p>`)] : []
  })
  return `<h2>${texts.results}</h2>${items.length === 0 ? `<p>${texts.none}</p>` : `<ol>${items.join('\n')}</ol>`}`
}

function listing(skills: readonly SkillSummary[], language: Language): string {
  const { all, more } = TEXTS[language]
  const items = skills.slice(0, MAX_LISTED).map(skill => item(skill, '', ''))
  const rest = skills.length > MAX_LISTED ? `<p>${more(skills.length - MAX_LISTED)}</p>` : ''
  return `<h2>${all(skills.length)}</h2><ul>${items.join('\n')}</ul>${rest}`
}

function item({ id, name, displayName = name, description }: SkillSummary, score: string, reason: string): string {
  const address = `v1/skills/${encodeURIComponent(id)}`
  return `<li><h3><a href="${address}">${line(displayName)}</a>${score}</h3><p>${line(description)}</p>${reason}</li>`
}

function line(text: string): string {
  return escapeText(plainLine(text))
}
