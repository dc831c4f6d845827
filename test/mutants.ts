/** A fault that must turn the tests of a behaviour red. `find` stands once in `file`. */
export interface Mutant {
  /** The behaviour whose tests must notice. */
  id: string
  file: string
  find: string
  replace: string
}

export const mutants: readonly Mutant[] = [
  {
    "id": "CARD-1",
    "file": "src/source/memory.ts",
    "find": "if (ifVersion === version) return 'unchanged'",
    "replace": "if (ifVersion !== undefined) return 'unchanged'"
  },
  {
    "id": "CARD-1",
    "file": "src/source/http.ts",
    "find": "if (response.status === 404 || response.status === 410) return undefined",
    "replace": "if (response.status === 404) return undefined"
  },
  {
    "id": "CARD-1",
    "file": "src/source/http.ts",
    "find": "safePath(path).split('/').map(encodeURIComponent).join('/')",
    "replace": "safePath(path)"
  },
  {
    "id": "CARD-4",
    "file": "demo/files.ts",
    "find": "if (file.text === undefined)",
    "replace": "if (file.kind === 'script' || file.text === undefined)"
  },
  {
    "id": "CARD-4",
    "file": "demo/files.ts",
    "find": "if (file.kind === 'image')",
    "replace": "if (file.kind === 'binary')"
  },
  {
    "id": "CARD-4",
    "file": "demo/files.ts",
    "find": "download: name }",
    "replace": "download: file.path }"
  },
  {
    "id": "CARD-4",
    "file": "src/library/library.ts",
    "find": "        root: rootOf(stand, entry.path),",
    "replace": "        root: rootOf(stand, entry.path) + (await stand.source.read(joinPath(entry.path, details.files[0]?.path ?? \"x\")) ? \"\" : \"\"),"
  },
  {
    "id": "CARD-4",
    "file": "src/skill/media.ts",
    "find": "if (kind === 'script' || /\\.x?html?$/i.test(path)) return 'text/plain'",
    "replace": ""
  },
  {
    "id": "CARD-5",
    "file": "demo/finder.ts",
    "find": "box.addEventListener('input', () => void show())",
    "replace": "box.addEventListener('change', () => void show())"
  },
  {
    "id": "CARD-5",
    "file": "demo/finder.ts",
    "find": "matches.filter(match => match.score > THRESHOLD)",
    "replace": "matches.filter(match => match.score > 0)"
  },
  {
    "id": "CARD-5",
    "file": "demo/results.ts",
    "find": "const likely = match.score > THRESHOLD",
    "replace": "const likely = match.score > 0"
  },
  {
    "id": "CARD-5",
    "file": "demo/results.ts",
    "find": "bar.style.setProperty('--score', String(match.score))",
    "replace": "bar.style.setProperty('--score', '1')"
  },
  {
    "id": "CARD-5",
    "file": "demo/finder.ts",
    "find": "event.key === 'ArrowDown' ? 1",
    "replace": "event.key === 'ArrowRight' ? 1"
  },
  {
    "id": "CARD-5",
    "file": "demo/main.ts",
    "find": "event.key !== 'Escape'",
    "replace": "event.key !== 'Delete'"
  },
  {
    "id": "CARD-5",
    "file": "demo/main.ts",
    "find": "window.addEventListener('hashchange', followSafely)",
    "replace": "window.addEventListener('hashchange', () => {})"
  },
  {
    "id": "CARD-5",
    "file": "demo/route.ts",
    "find": "return decodeURIComponent(id)",
    "replace": "return id"
  },
  {
    "id": "CARD-5",
    "file": "demo/panel.ts",
    "find": "      life.abort()\n",
    "replace": ""
  },
  {
    "id": "CARD-5",
    "file": "demo/trouble.ts",
    "find": "if (failed?.code === 'source-missing')",
    "replace": "if (failed?.code === 'source-unreadable')"
  },
  {
    "id": "CARD-5",
    "file": "demo/footer.ts",
    "find": "entry.name.startsWith(address.href)",
    "replace": "entry.name.endsWith(address.href)"
  },
  {
    "id": "CARD-5",
    "file": "demo/style.css",
    "find": "  padding: 0.9rem 1rem;\n  overflow: auto;",
    "replace": "  padding: 0.9rem 1rem;"
  },
  {
    "id": "TD-1",
    "file": "src/skill/parse.ts",
    "find": "if (level1 > METADATA_TOKENS)",
    "replace": "if (level1 > 2 * METADATA_TOKENS)"
  },
  {
    "id": "TD-1",
    "file": "src/skill/parse.ts",
    "find": "const level2 = countTokens(split.body)",
    "replace": "const level2 = estimateTokens(split.body)"
  },
  {
    "id": "TD-1",
    "file": "src/skill/tokens.ts",
    "find": "else if (east) tokens += run.length * 0.8",
    "replace": "else if (east) tokens += run.length * 0.2"
  },
  {
    "id": "TD-2",
    "file": "src/skill/fields.ts",
    "find": "displayName: ['display_name', 'display-name', 'displayName'],",
    "replace": "displayName: ['displayName'],"
  },
  {
    "id": "TD-2",
    "file": "src/skill/fields.ts",
    "find": "return source ?? String(value)\n    }",
    "replace": "return String(value)\n    }"
  },
  {
    "id": "TD-2",
    "file": "src/skill/fields.ts",
    "find": "['false', 'no', 'off', '0'].includes(word)",
    "replace": "['false'].includes(word)"
  },
  {
    "id": "TD-2",
    "file": "src/skill/specification.ts",
    "find": "if (unknown.length > 0)",
    "replace": "if (unknown.length > 9)"
  },
  {
    "id": "TD-2",
    "file": "src/catalog/snapshot.ts",
    "find": "if (entry.enabled === false) {",
    "replace": "if (entry.enabled === false && entry.path === \"\") {"
  },
  {
    "id": "TD-2",
    "file": "src/library/library.ts",
    "find": "if (!found || entry.enabled === false)",
    "replace": "if (!found)"
  },
  {
    "id": "TD-2",
    "file": "src/library/library.ts",
    "find": "(dead.has(number) || !shown.has(id) ? [number] : [])",
    "replace": "(dead.has(number) ? [number] : [])"
  },
  {
    "id": "TD-7",
    "file": "src/skill/frontmatter.ts",
    "find": "return { frontmatter: '', line: 0, body: text, diagnostics }",
    "replace": "return { frontmatter: '', line: 0, body: text.trim(), diagnostics }"
  },
  {
    "id": "TD-7",
    "file": "src/skill/frontmatter.ts",
    "find": "let after = closed ? closing + 1 : prose",
    "replace": "let after = closed ? closing : prose"
  },
  {
    "id": "TD-7",
    "file": "src/library/library.ts",
    "find": "instructions: body.trim(),",
    "replace": "instructions: body,"
  },
  {
    "id": "TD-7",
    "file": "src/library/library.ts",
    "find": "if (now && now.digest === old?.digest && now.details === old.details) cache.set(id, skill)",
    "replace": "if (now && old) cache.set(id, skill)"
  },
  {
    "id": "TD-7",
    "file": "src/library/library.ts",
    "find": "if (digest === entry.digest) cache.set(summary.id, skill)",
    "replace": "cache.set(summary.id, skill)"
  },
  {
    "id": "TD-8",
    "file": "src/catalog/discover.ts",
    "find": "for (let folder = dirname(path); ; folder = dirname(folder)) {",
    "replace": "for (let folder = path.split('/')[0] as string; ; folder = dirname(folder)) {"
  },
  {
    "id": "TD-8",
    "file": "src/pack/pack.ts",
    "find": "yield* output(packedFile(digest, path), bytes)",
    "replace": "yield* output(packedFile(digest, path), bytes.slice(0, 65_536))"
  },
  {
    "id": "TD-9",
    "file": "src/skill/fields.ts",
    "find": "match(/(?:[^\\s,()]|\\([^)]*\\)?)+/g) ?? []",
    "replace": "match(/[^\\s,]+/g) ?? []"
  },
  {
    "id": "TD-9",
    "file": "src/skill/fields.ts",
    "find": "put('allowedTools', list('allowedTools', splitTools))",
    "replace": "put('allowedTools', list('allowedTools', splitTools) ?? [])"
  },
  {
    "id": "TD-10",
    "file": "src/cli/new.ts",
    "find": "(await namesIn(shelf)).length === 0",
    "replace": "(await namesIn(shelf)).length > 0"
  },
  {
    "id": "TD-10",
    "file": "src/cli/templates.ts",
    "find": "display_name: title,",
    "replace": ""
  },
  {
    "id": "OS-1",
    "file": "src/library/library.ts",
    "find": "if (strict || isSkillshelfError(error, 'aborted'))",
    "replace": "if (strict || !isSkillshelfError(error, 'source-failed'))"
  },
  {
    "id": "OS-2",
    "file": "src/catalog/lookup.ts",
    "find": "return name.normalize('NFKC').toLowerCase().trim()",
    "replace": "return name.normalize('NFKC').trim()"
  },
  {
    "id": "OS-2",
    "file": "src/library/shelf.ts",
    "find": "        text: decodeText(result.bytes).text,",
    "replace": "        text: parsed.body,"
  },
  {
    "id": "OS-4",
    "file": "src/skill/path.ts",
    "find": "if (bare.startsWith('/')) return 'is absolute'",
    "replace": "if (bare.startsWith('//')) return 'is absolute'"
  },
  {
    "id": "OS-4",
    "file": "src/skill/path.ts",
    "find": "forms.add(decoded(form))",
    "replace": "forms.add(form)"
  },
  {
    "id": "OS-4",
    "file": "src/skill/path.ts",
    "find": "if (/\\p{Cc}/u.test(path))",
    "replace": "if (/[\\p{Cc}\\p{Cf}]/u.test(path))"
  },
  {
    "id": "OS-4",
    "file": "src/library/library.ts",
    "find": "const wanted = joinPath(asked.entry.path, safePath(path))",
    "replace": "const wanted = joinPath(asked.entry.path, path)"
  },
  {
    "id": "OS-5",
    "file": "src/source/directory.ts",
    "find": "root: at => (at === '' ? root : join(root, safePath(at))),",
    "replace": "root: at => at,"
  },
  {
    "id": "OS-5",
    "file": "src/library/library.ts",
    "find": "location: rootOf(asked.stand, wanted),",
    "replace": "location: path,"
  },
  {
    "id": "OS-6",
    "file": "src/catalog/discover.ts",
    "find": "entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))",
    "replace": ""
  },
  {
    "id": "OS-7",
    "file": "src/skill/specification.ts",
    "find": "return name.length <= 64 &&",
    "replace": "return name.length <= 65 &&"
  },
  {
    "id": "OS-7",
    "file": "src/skill/specification.ts",
    "find": "severity: strict ? 'error' : severity",
    "replace": "severity"
  },
  {
    "id": "OS-7",
    "file": "src/skill/specification.ts",
    "find": "description.length > 1024",
    "replace": "description.length > 1025"
  },
  {
    "id": "OS-7",
    "file": "src/cli/validate.ts",
    "find": "...(strict ? { strict } : {}),",
    "replace": ""
  },
  {
    "id": "OS-7",
    "file": "src/cli/new.ts",
    "find": "if (isSpecName(name) ||",
    "replace": "if (name !== \"\" ||"
  },
  {
    "id": "OS-9",
    "file": "src/skill/parse.ts",
    "find": "const value = infer ? stand()?.trim() : undefined",
    "replace": "const value = stand()?.trim()"
  },
  {
    "id": "OS-9",
    "file": "src/skill/parse.ts",
    "find": "code: `${key}-missing`,\n      severity: 'error'",
    "replace": "code: `${key}-missing`,\n      severity: 'warning'"
  },
  {
    "id": "OS-9",
    "file": "src/cli/pack.ts",
    "find": "...(strict ? { strict } : {}),",
    "replace": ""
  },
  {
    "id": "OS-9",
    "file": "src/cli/validate.ts",
    "find": "leftOut: found - read.length",
    "replace": "leftOut: 0"
  },
  {
    "id": "OS-9",
    "file": "src/catalog/tree.ts",
    "find": "infer: !strict, strict, countTokens",
    "replace": "strict, countTokens"
  },
  {
    "id": "MX-1",
    "file": "src/skill/fields.ts",
    "find": "'name',\n    'description',\n    'displayName'",
    "replace": "'name',\n    'displayName'"
  },
  {
    "id": "MX-1",
    "file": "src/catalog/discover.ts",
    "find": "const owner = ownerOf(entry.path, folders)",
    "replace": "const owner = entry.path.split('/').length > 3 ? undefined : ownerOf(entry.path, folders)"
  },
  {
    "id": "OE-1",
    "file": "src/skill/fields.ts",
    "find": "whenToUse: ['when_to_use', 'when-to-use', 'whenToUse'],",
    "replace": "whenToUse: ['when-to-use'],"
  },
  {
    "id": "AC-1",
    "file": "src/skill/parse.ts",
    "find": "if (own) return own",
    "replace": "if (own) return own.replaceAll(' ', '-')"
  },
  {
    "id": "AC-1",
    "file": "src/catalog/discover.ts",
    "find": "if (basename(entry.path).toLowerCase() !== 'skill.md') continue",
    "replace": "if (basename(entry.path) !== 'SKILL.md') continue"
  },
  {
    "id": "AC-1",
    "file": "src/catalog/discover.ts",
    "find": "const exact = basename(entry.path) === 'SKILL.md' ? entry : other.file",
    "replace": "const exact = entry"
  },
  {
    "id": "AC-2",
    "file": "src/catalog/snapshot.ts",
    "find": "return path === '' ? origin : `${origin}/${path}`",
    "replace": "return `${origin}/${path}`"
  },
  {
    "id": "AC-2",
    "file": "src/catalog/lookup.ts",
    "find": "const exact = byId.get(name) ?? hidden.get(name)",
    "replace": "const exact = byId.get(name)"
  },
  {
    "id": "AC-5",
    "file": "src/skill/decode.ts",
    "find": "text = text.replaceAll('\\0', '')",
    "replace": "text = String(text)"
  },
  {
    "id": "AC-5",
    "file": "src/skill/decode.ts",
    "find": "? 'utf-16be'",
    "replace": "? 'utf-16le'"
  },
  {
    "id": "AC-5",
    "file": "src/skill/frontmatter.ts",
    "find": "const fence = /^[ \\t]*-{3,}[ \\t]*$/",
    "replace": "const fence = /^---$/"
  },
  {
    "id": "AC-5",
    "file": "src/skill/frontmatter.ts",
    "find": "if (!blank(end - 1)) return -1",
    "replace": "if (end > 0) return -1"
  },
  {
    "id": "AC-5",
    "file": "src/skill/yaml.ts",
    "find": "[ \\t]*:(?=\\s|$)/",
    "replace": "[ \\t]*:(?=[ \\t]|$)/"
  },
  {
    "id": "AC-5",
    "file": "src/skill/yaml.ts",
    "find": "if (Object.keys(values).length === 0) diagnostics.push(...why)",
    "replace": "if (diagnostics.length > 99) diagnostics.push(...why)"
  },
  {
    "id": "AC-5",
    "file": "src/skill/error.ts",
    "find": "const bare = hint && message.endsWith(` (${hint})`)",
    "replace": "const bare = hint && message === hint"
  },
  {
    "id": "AC-5",
    "file": "src/cli/list.ts",
    "find": "hidden > 0 ? `",
    "replace": "hidden > 99 ? `"
  },
  {
    "id": "AC-5",
    "file": "src/cli/opening.ts",
    "find": "code === 'source-missing' || code === 'source-unreadable'",
    "replace": "code === 'skill-left-out' || code === 'source-unreadable'"
  },
  {
    "id": "AC-5",
    "file": "src/library/library.ts",
    "find": "return { ...stand, failure: sourceDiagnostic(stand.source, error) }",
    "replace": "return { ...stand, shelf: emptyShelf(stand.source), failure: sourceDiagnostic(stand.source, error) }"
  },
  {
    "id": "AC-5",
    "file": "src/catalog/tree.ts",
    "find": "    return unreadable(error instanceof Error ? error.message : String(error))",
    "replace": "    throw error"
  },
  {
    "id": "AC-5",
    "file": "src/catalog/tree.ts",
    "find": "diagnostics.sort(by(({ path = '', code, message }) => [path, code, message].join('\\n')))",
    "replace": ""
  },
  {
    "id": "AC-6",
    "file": "src/library/library.ts",
    "find": "if (--shared.waiting === 0 && at.signal?.aborted) shared.abort.abort()",
    "replace": "if (at.signal?.aborted) shared.abort.abort()"
  },
  {
    "id": "AC-6",
    "file": "src/library/shelf.ts",
    "find": "dead: new Set([...piece.dead, ...piece.paths.flatMap((path, number) => (same.has(path) ? [] : [number]))]),",
    "replace": "dead: new Set(piece.paths.flatMap((path, number) => (same.has(path) ? [] : [number]))),"
  },
  {
    "id": "BY-1",
    "file": "src/text/analyze.ts",
    "find": "const lower = word.toLowerCase()",
    "replace": "const lower = word"
  },
  {
    "id": "BY-1",
    "file": "src/text/classes.ts",
    "find": "const word = /[\\p{L}\\p{N}\\p{M}]/u",
    "replace": "const word = /[\\p{L}\\p{M}]/u"
  },
  {
    "id": "BY-1",
    "file": "src/segment/weights.ts",
    "find": "body: { weight: 0.25, average: 650 }",
    "replace": "body: { weight: 0.5, average: 650 }"
  },
  {
    "id": "BY-1",
    "file": "src/segment/lexicon.ts",
    "find": "if (shared < matched) return undefined",
    "replace": "if (shared <= matched && index > 0) return undefined"
  },
  {
    "id": "BY-1",
    "file": "src/segment/merge.ts",
    "find": "if (number < 0) return",
    "replace": "if (number < -1) return"
  },
  {
    "id": "BY-1",
    "file": "src/segment/merge.ts",
    "find": "heads.push(segment.headOf(skill))",
    "replace": "heads.push(segment.headOf(0))"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "() => df--)",
    "replace": "() => df)"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "return x < y ? -1 : x > y ? 1 : a.at - b.at || a.skill - b.skill",
    "replace": "return a.at - b.at || a.skill - b.skill"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "const difference = b.lexical + b.bonus - (a.lexical + a.bonus)",
    "replace": "const difference = b.lexical - a.lexical"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "worth: (head ? PAIR_HEAD : PAIR_BODY)",
    "replace": "worth: (head ? PAIR_BODY : PAIR_HEAD)"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "if (past <= HISTORY_MOST) return weighted",
    "replace": "return weighted"
  },
  {
    "id": "BY-1",
    "file": "src/match/rank.ts",
    "find": "const own = live / (live + PRIOR)",
    "replace": "const own = 1"
  },
  {
    "id": "BY-1",
    "file": "src/match/lexical.ts",
    "find": "const NAME_WORTH = 0.5",
    "replace": "const NAME_WORTH = 0"
  },
  {
    "id": "BY-2",
    "file": "src/text/negated.ts",
    "find": "if (pointing && redirect.test(part)) continue",
    "replace": "if (pointing && part === redirect.source) continue"
  },
  {
    "id": "BY-2",
    "file": "src/text/negated.ts",
    "find": "part.replace(harmless, one => '_'.repeat(one.length)).search(negated)",
    "replace": "part.search(negated)"
  },
  {
    "id": "BY-2",
    "file": "src/text/negated.ts",
    "find": "`${part.slice(0, at)}\\n`",
    "replace": "`${part.slice(0, at + 1)}\\n`"
  },
  {
    "id": "BY-2",
    "file": "src/match/score.ts",
    "find": "if (relevance <= 0) return 0",
    "replace": ""
  },
  {
    "id": "BY-2",
    "file": "src/match/score.ts",
    "find": "c * coverage + (named ? n : 0)",
    "replace": "c * coverage - (named ? n : 0)"
  },
  {
    "id": "BY-2",
    "file": "src/match/lexical.ts",
    "find": "return answer([], 'no-common-word')",
    "replace": "return answer([])"
  },
  {
    "id": "BY-2",
    "file": "src/match/lexical.ts",
    "find": "confidence: served * (shares[index] ?? 0)",
    "replace": "confidence: served"
  },
  {
    "id": "BY-3",
    "file": "src/match/reason.ts",
    "find": "displayName === '' || displayName === name ? 1 : 2",
    "replace": "1"
  },
  {
    "id": "BY-3",
    "file": "src/match/reason.ts",
    "find": "if (!counted.has(gram)) value += worth.get(gram) ?? 0",
    "replace": "value += worth.get(gram) ?? 0"
  },
  {
    "id": "BY-3",
    "file": "src/match/reason.ts",
    "find": "relevance > 0 ? 'matches what was said before'",
    "replace": "relevance < 0 ? 'matches what was said before'"
  },
  {
    "id": "BY-3",
    "file": "src/match/lexical.ts",
    "find": "const relevance = Math.min(match.signals.relevance, last.lexical + last.bonus)",
    "replace": "const relevance = match.signals.relevance"
  },
  {
    "id": "BY-4",
    "file": "src/text/classes.ts",
    "find": "return folded[unit - HAN_FIRST] || unit",
    "replace": "return folded[unit] || unit"
  },
  {
    "id": "BY-4",
    "file": "src/text/classes.ts",
    "find": "if (joined.test(character)) found = JOINED",
    "replace": "if (joined.test(character)) found = WORD"
  },
  {
    "id": "BY-4",
    "file": "src/match/reason.ts",
    "find": "worth.has((sequence[end - 1] as string) + (sequence[end] as string))",
    "replace": "false"
  },
  {
    "id": "BY-4",
    "file": "src/match/reason.ts",
    "find": "if (text[at + 1] === second) return true",
    "replace": "return true"
  },
  {
    "id": "BY-4",
    "file": "src/text/classes.ts",
    "find": "return folded[unit - HAN_FIRST] || unit",
    "replace": "return unit"
  },
  {
    "id": "BY-5",
    "file": "src/segment/format.ts",
    "find": "offset + length > bytes.length) return undefined",
    "replace": "offset > bytes.length) return undefined"
  },
  {
    "id": "BY-5",
    "file": "src/segment/format.ts",
    "find": "if (view.getUint16(4, true) !== VERSION) return undefined",
    "replace": ""
  },
  {
    "id": "BY-5",
    "file": "src/segment/open.ts",
    "find": "head.analyzer !== ANALYZER ||",
    "replace": ""
  },
  {
    "id": "BY-5",
    "file": "src/segment/open.ts",
    "find": "if (blocks.length !== blocksOf(head.terms) * 2) return undefined",
    "replace": ""
  },
  {
    "id": "BY-5",
    "file": "src/segment/lexicon.ts",
    "find": "const BLOCK = 16",
    "replace": "const BLOCK = 8"
  },
  {
    "id": "BY-5",
    "file": "src/cli/output-folder.ts",
    "find": "BY_DIGEST.test(path))) return 'kept'",
    "replace": "BY_DIGEST.test(path)) && path === '') return 'kept'"
  },
  {
    "id": "BY-5",
    "file": "src/cli/output-folder.ts",
    "find": "info.size !== bytes.length",
    "replace": "info.size < 0"
  },
  {
    "id": "BY-5",
    "file": "src/library/shelf.ts",
    "find": "...(metadata?.whenToUse === undefined ? {} : { whenToUse: metadata.whenToUse }),",
    "replace": ""
  },
  {
    "id": "BY-5",
    "file": "src/catalog/packed.ts",
    "find": "if (actual !== digest && shortDigest(actual) !== digest)",
    "replace": "if (actual === digest && shortDigest(actual) === digest)"
  },
  {
    "id": "BY-5",
    "file": "src/pack/pack.ts",
    "find": "const SEGMENT_SKILLS = 16_384",
    "replace": "const SEGMENT_SKILLS = 4"
  },
  {
    "id": "BY-9",
    "file": "src/skill/path.ts",
    "find": "if (path.includes('\\\\')) return 'has a backslash'",
    "replace": "if (path.startsWith('\\\\')) return 'has a backslash'"
  },
  {
    "id": "BY-9",
    "file": "src/skill/path.ts",
    "find": "form.normalize('NFKC')",
    "replace": "form.normalize('NFC')"
  },
  {
    "id": "BY-9",
    "file": "src/skill/path.ts",
    "find": "forms.add(form.replace(invisible, ''))",
    "replace": "forms.add(form.replace('\\u200b', ''))"
  },
  {
    "id": "BY-9",
    "file": "src/skill/path.ts",
    "find": "if (overlong.test(path))",
    "replace": "if (overlong.test(path.slice(40)))"
  },
  {
    "id": "BY-9",
    "file": "src/skill/path.ts",
    "find": "if (forms.size > MAX_FORMS) return undefined",
    "replace": "if (forms.size > MAX_FORMS) return forms"
  },
  {
    "id": "BY-9",
    "file": "src/skill/yaml.ts",
    "find": "if (depth > MAX_DEPTH) throw new RangeError('too deep')",
    "replace": "if (depth > 99 * MAX_DEPTH) throw new RangeError('too deep')"
  },
  {
    "id": "BY-9",
    "file": "src/skill/yaml.ts",
    "find": "if (yaml.isAlias(node) && open.includes(node.source))",
    "replace": "if (yaml.isAlias(node) && open.length > 99)"
  },
  {
    "id": "BY-9",
    "file": "src/skill/yaml.ts",
    "find": "if (key !== '__proto__') values[key] = value",
    "replace": "values[key] = value"
  },
  {
    "id": "BY-9",
    "file": "src/skill/fields.ts",
    "find": "typeof found.value === 'object' ? '' : String(found.value)",
    "replace": "String(found.value)"
  },
  {
    "id": "BY-9",
    "file": "src/skill/yaml.ts",
    "find": "text = text.slice(0, MAX_LENGTH)",
    "replace": "text = text.slice(MAX_LENGTH)"
  },
  {
    "id": "BY-9",
    "file": "src/text/analyze.ts",
    "find": "start + MAX_WORD",
    "replace": "start + 99 * MAX_WORD"
  },
  {
    "id": "BY-9",
    "file": "src/cli/output-folder.ts",
    "find": "if (!isInside(real, root))",
    "replace": "if (real === \"\")"
  },
  {
    "id": "BY-9",
    "file": "src/cli/output-folder.ts",
    "find": "put.has(path) || !BY_DIGEST.test(path)",
    "replace": "put.has(path)"
  },
  {
    "id": "BY-9",
    "file": "src/cli/output-folder.ts",
    "find": "if (root === source || isInside(root, source))",
    "replace": "if (root === source)"
  },
  {
    "id": "BY-9",
    "file": "src/cli/text.ts",
    "find": "replace(OBEYED, '')",
    "replace": "replace(OBEYED, '$&')"
  },
  {
    "id": "BY-9",
    "file": "demo/dom.ts",
    "find": "element.append(...children.filter(child => child !== undefined && child !== false))",
    "replace": "for (const child of children) if (typeof child === 'string') element.insertAdjacentHTML('beforeend', child); else if (child) element.append(child)"
  },
  {
    "id": "BY-9",
    "file": "demo/markdown.ts",
    "find": "      html: token => asText(token),\n",
    "replace": ""
  },
  {
    "id": "BY-9",
    "file": "demo/markdown.ts",
    "find": "!/^data:image\\//i.test(",
    "replace": "!/^/.test("
  },
  {
    "id": "BY-9",
    "file": "demo/markdown.ts",
    "find": "purifier.sanitize(marked.parse(text, { async: false }), {",
    "replace": "((html: string, _: object) => document.createRange().createContextualFragment(html))(marked.parse(text, { async: false }), {"
  },
  {
    "id": "BY-9",
    "file": "demo/markdown.ts",
    "find": "link.rel = 'noopener noreferrer nofollow'",
    "replace": "link.rel = 'noopener'"
  },
  {
    "id": "BY-9",
    "file": "demo/markdown.ts",
    "find": "/^(?:https?|mailto):/i.test(target)",
    "replace": "target !== ''"
  },
  {
    "id": "BY-9",
    "file": "vite.config.ts",
    "find": "\"script-src 'self' 'wasm-unsafe-eval'\"",
    "replace": "\"script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'\""
  },
  {
    "id": "BY-9",
    "file": "vite.config.ts",
    "find": "apply: 'build'",
    "replace": "apply: 'serve'"
  },
  {
    "id": "BY-9",
    "file": "src/source/directory.ts",
    "find": "const file = await inside(wanted)",
    "replace": "const file = wanted"
  },
  {
    "id": "BY-9",
    "file": "src/catalog/discover.ts",
    "find": "if (trySafePath(entry.path) !== entry.path)",
    "replace": "if (trySafePath(entry.path) === undefined && entry.path === \"\")"
  },
  {
    "id": "BY-9",
    "file": "src/catalog/packed.ts",
    "find": "typeof path === 'string' && trySafePath(path) === path && (size",
    "replace": "typeof path === 'string' && (size"
  },
  {
    "id": "BY-9",
    "file": "src/source/memory.ts",
    "find": "const added = Object.entries(put).map(([path, content]) => [safePath(path), content] as const)",
    "replace": "const added = Object.entries(put)"
  },
  {
    "id": "BY-10",
    "file": "src/cli/test.ts",
    "find": "passed: expected.length === 0 ? !above : at === 0",
    "replace": "passed: expected.length === 0 ? !above : at >= 0"
  },
  {
    "id": "BY-10",
    "file": "src/cli/test.ts",
    "find": "? !above :",
    "replace": "? true :"
  },
  {
    "id": "BY-10",
    "file": "src/cli/triggers.ts",
    "find": "problem(contents, 'this is not a list; write \"- message: ...\" for each case')",
    "replace": ""
  }
  {
    id: 'BY-4',
    file: 'src/text/analyze.ts',
    find: 'if (at + 2 < run.length) emit(two + run[at + 2], TERM)',
    replace: 'if (at + 3 < run.length) emit(two + run[at + 2], TERM)',
  },
]
