import type { AbortOptions } from '../../core/abort.js'
import { invalidInput } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { OnProgress } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { Reranker } from '../../search/decide/rerank.js'
import type { Stages } from '../../search/match/create-matcher.js'
import type { Matcher } from '../../search/match/skill-match.js'
import type { Embedder, EmbedderLoader, SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SeenRevisions } from '../signed/seen-revisions.js'
import type { LearnedStore } from './learned-messages.js'

const loadCheck = onDemand(() => import('../../search/model/check-vectors.js'))

/** Options of `openLibrary`. */
export interface LibraryOptions extends AbortOptions {
  /**
   * Finds skills by meaning as well as by keywords. A `SkillModel` is awaited. If it cannot be loaded, the library uses keywords only and
   * reports `model-unavailable`; with `strict`, opening fails. An `Embedder`, such as `transformers()`, joins later, beside the bundled
   * model: see `LocalLibrary.upgrade`. `false`: keywords only, nothing is loaded.
   * @default the bundled model, loaded in the background: the first messages wait for it, see `modelTimeout`. In a Cloudflare Worker opening
   * waits for it. None with a `matcher` and with `stages` other than `hybrid`.
   */
  embedder?: SkillModel | Promise<SkillModel> | Embedder | EmbedderLoader | false | undefined
  /**
   * Milliseconds that messages wait for the bundled model, from the first one on, and each for the part of a model that it needs. After
   * that, words answer until it is there: see `complete` of the result. `0` never waits.
   * @default 2000
   */
  modelTimeout?: number | undefined
  /** Which signals find skills. @default 'hybrid' */
  stages?: Stages | undefined
  /** Ranks skills. Cannot be combined with `stages`. @default a matcher in this thread */
  matcher?: Matcher | undefined
  /**
   * Reorders the best matches of `match`, such as `llmRerank(ask)`. Called if there is more than one candidate and the library
   * probably serves the message. `search` and `explain` do not call it.
   * @default undefined
   */
  rerank?: Reranker | undefined
  /**
   * Learns from use which skill a message needs: see `LocalLibrary.learn`. Messages stay on this device. `true` keeps them in IndexedDB;
   * `learnedFile(path)` of `skillshelf/node` keeps them in a file, and any object with `load` and `save` elsewhere.
   * @default false
   */
  learn?: boolean | LearnedStore | undefined
  /**
   * Ed25519 public keys in PEM. Each source must be a packed library that one of them signed, as by `skillshelf pack --sign`; otherwise
   * `openLibrary` throws `untrusted`, and a refresh keeps the last skills. To sign one layer of several, use `signed` of `skillshelf/sources`.
   * @default undefined (libraries need no signature)
   */
  publicKeys?: readonly string[] | undefined
  /** Number of `publicKeys` that must have signed each library. @default 1 */
  signatureThreshold?: number | undefined
  /** Keeps the highest revision seen: a library with a lower one is refused. @default IndexedDB in a browser; elsewhere in memory */
  seenRevisions?: SeenRevisions | undefined
  /**
   * Fails if a source cannot be read, leaves out skills without a name or description, and reports violations of the specification
   * as errors. Without it, the library opens with the skills it can read; see `snapshot.diagnostics`.
   * @default false
   */
  strict?: boolean | undefined
  /**
   * Reads a large library whole, as it is done with several layers, `matcher`, `learn`, `environment`, `strict` and `stages`. Otherwise, one that
   * `pack` wrote in pieces is read as far as messages need it: then `snapshot.skills` has the skills that were seen, and `page` lists all.
   * @default false
   */
  whole?: boolean | undefined
  /** Counts the tokens of a text. @default estimateTokens */
  countTokens?: TokenCounter | undefined
  /** Limits the library to `environments/{environment}/skills` and all outside `environments`. @default undefined (every skill) */
  environment?: string | undefined
  /**
   * Milliseconds that a source may take for an answer. A source that takes longer is reported as `source-unreadable`, and the others are
   * used without it. Sources with a `timeout` of their own, such as `http`, ignore it.
   * @default 60_000
   */
  timeout?: number | undefined
  /**
   * Called while the library opens, once for each source or model that cannot be loaded, or with `library-empty` if no skill is found.
   * Problems of single skills are in `snapshot.diagnostics`.
   * @default console.warn, once per problem
   */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
  /** Called with phase `read` and a source as `item`. Counts skills of a tree, segments of a packed library. @default undefined */
  onProgress?: OnProgress | undefined
}

const LIBRARY = {
  embedder: 1,
  modelTimeout: 1,
  stages: 1,
  matcher: 1,
  rerank: 1,
  learn: 1,
  publicKeys: 1,
  signatureThreshold: 1,
  seenRevisions: 1,
  strict: 1,
  whole: 1,
  countTokens: 1,
  environment: 1,
  timeout: 1,
  onDiagnostic: 1,
  onProgress: 1,
  signal: 1,
} satisfies OptionNames<LibraryOptions>

export function checkOptions(options: LibraryOptions): void {
  checkOptionNames(options, LIBRARY)
  const { matcher, stages, rerank, onDiagnostic, timeout, modelTimeout } = options
  if (matcher !== undefined && stages) {
    throw invalidInput('"stages" cannot be combined with "matcher"')
  }
  if (matcher !== undefined && !hasMethods(matcher, 'update', 'match', 'explain')) {
    throw invalidInput(
      '"matcher" must implement update, match and explain',
      'such as threadMatcher({ worker })',
    )
  }
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw invalidInput(`"timeout" must be a number above 0, not ${String(timeout)}`)
  }
  if (modelTimeout !== undefined && !(typeof modelTimeout === 'number' && modelTimeout >= 0)) {
    throw invalidInput(`"modelTimeout" must be 0 or more, not ${String(modelTimeout)}`)
  }
  if (onDiagnostic !== undefined && typeof onDiagnostic !== 'function') {
    throw invalidInput('"onDiagnostic" must be a function')
  }
  if (rerank !== undefined && typeof rerank !== 'function') {
    throw invalidInput('"rerank" must be a function', 'such as llmRerank(ask)')
  }
}

/** @throws SkillshelfError `invalid-input`; `model-failed` for a model that is broken */
export async function checkEmbedder(
  embedder: Awaited<LibraryOptions['embedder']>,
): Promise<SkillModel | undefined> {
  if (embedder === undefined || embedder === false) return undefined
  if (hasMethods(embedder, 'vectorOf', 'skillVector')) {
    const { checkSkillModel } = await loadCheck()
    checkSkillModel(embedder as SkillModel)
    return embedder as SkillModel
  }
  throw invalidInput(
    '"embedder" must be a skill model, such as bundled(), or an embedder, such as transformers()',
  )
}

/** Whether an embedder is asynchronous: it joins a library that is open. */
export function isUpgrade(
  embedder: LibraryOptions['embedder'],
): embedder is Embedder | EmbedderLoader {
  return typeof embedder === 'function' || hasMethods(embedder, 'embed')
}

function hasMethods(value: unknown, ...methods: string[]): boolean {
  const object = value as Record<string, unknown> | null | undefined
  return methods.every(method => typeof object?.[method] === 'function')
}
