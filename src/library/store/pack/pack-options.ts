import type { OnProgress } from '../../../core/progress.js'
import type { TokenCounter } from '../../../core/tokens.js'
import type { PackedVectors } from '../../../search/index/packed-vectors.js'
import type { Embedder, EmbedderLoader, SkillModel } from '../../../search/model/skill-model.js'
import type { SkillSource } from '../../../source/source.js'
import type { SecretPolicy } from './secret-guard.js'

/** Options of `pack`. */
export interface PackOptions {
  /** Adds vectors, so that skills are found by meaning too. @default undefined (keywords only) */
  embedder?: SkillModel | undefined
  /**
   * Adds vectors of a transformer, such as `transformers()`, in files of their own. A page that loads the same one by `upgrade` reads them
   * and embeds nothing but changed skills; with `pieces`, it reads those of the skills that a message needs.
   * @default undefined (each page embeds the skills)
   */
  encoder?: Embedder | EmbedderLoader | undefined
  /** A library that was packed before. With `encoder`, skills whose texts have not changed since keep their vectors. @default undefined */
  previous?: SkillSource | undefined
  /**
   * Also publishes the skills to other clients, by well-known v0.2: an archive of each skill, an index, and settings for static hosts.
   * @default false
   */
  wellKnown?: boolean | undefined
  /**
   * Also writes the library in pieces, of which a reader fetches what a message needs. A small library is read whole in fewer bytes.
   * @default by size: from 512 KiB of catalog and index, some 300 skills
   */
  pieces?: boolean | undefined
  /**
   * Signs the library, for `publicKeys` of `openLibrary`: private keys in PEM, as `skillshelf keys new` writes them, two during a rotation.
   * Readers refuse a lower revision than they have seen, and a library after `expires`, in seconds since 1970.
   * @default undefined (no signature); `revision`: seconds since 1970; `expires`: never
   */
  sign?:
    | {
        privateKeys: readonly string[]
        revision?: number | undefined
        expires?: number | undefined
      }
    | undefined
  /** Leaves out skills without a name or description, and reports violations of the specification as errors. @default false */
  strict?: boolean | undefined
  /** Counts the tokens of a text. @default estimateTokens */
  countTokens?: TokenCounter | undefined
  /**
   * Paths of files, or of folders of files, that are packed although they look like a private key, a token or a file of passwords. Any
   * other such file stops the pack with `invalid-input`.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Also packs skills whose frontmatter says `metadata.internal: true`. They are for work on their repository. @default false */
  internal?: boolean | undefined
  /** Aborts with `aborted`. */
  signal?: AbortSignal | undefined
  /** Called with phase `read`, with `encoder` `load` and `embed`, then `write`. Counts skills; with `wellKnown`, `write` counts each twice. */
  onProgress?: OnProgress | undefined
}

/** Options of a plan. `onProgress` counts each skill in `read` when it is parsed, and in `write` when it is indexed. */
export interface PlanOptions extends Omit<PackOptions, 'wellKnown' | 'sign' | 'pieces'> {
  /** What happens to a secret that `allow` does not name: `refuse` stops the plan, `leave-out` reports it, `keep` takes it. @default 'refuse' */
  secrets?: SecretPolicy | undefined
  /** The folder of a skill that was named itself. It is planned although it is internal. @default the root */
  named?: string | undefined
  /** Vectors of a transformer that came with the skills, in any order. */
  given?: PackedVectors | undefined
  /** `total` of `write` counts the skills that `writePack` publishes, too. @default false */
  countPublished?: boolean | undefined
  /** Bytes of files that the plan holds. Other files are read again when they are written. @default 32 MiB */
  hold?: number | undefined
}
