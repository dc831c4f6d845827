import { isSkillshelfError, type SkillshelfError } from '../../core/errors.js'
import type { StoredSkill } from '../../library/store/write/stored-skill.js'
import type { SweepOptions, SweepResult } from '../../library/store/write/sweep.js'
import { VECTORS_FILE } from '../../library/store/write/vectors-upload.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { archiveExamined } from '../../source/archive/write.js'
import { CHANGE, STORED, SWEEP } from './response-shapes.js'
import { createServerRequest } from './server-request.js'

export interface ServerSkill extends Omit<StoredSkill, 'name'> {
  /** Missing on servers without conditional writes. */
  etag?: string
}

export interface PutOptions {
  /** Folder of the skill in the store. */
  folder?: string | undefined
  /** Paths that look like secrets and are meant. */
  allow?: readonly string[] | undefined
  /** Vectors of the skills, as `writePackedVectors` writes them. */
  vectors?: Uint8Array | undefined
}

/** The store of a server, for uploads. All requests are idempotent and retried. */
export interface PublishClient {
  /** Lists the stored skills. */
  list(): Promise<readonly ServerSkill[]>
  /** Uploads files, each skill in its own folder, or one skill to `folder`. Returns the diagnostics of the server. */
  put(
    files: Readonly<Record<string, Uint8Array>>,
    options?: PutOptions,
  ): Promise<readonly Diagnostic[]>
  /** Removes a skill, if it exists. @throws SkillshelfError `conflict` if it has changed since `list` */
  remove(folder: string): Promise<void>
  /** Removes files that no skill needs. */
  sweep(options: Pick<SweepOptions, 'olderThan' | 'dryRun'>): Promise<SweepResult>
}

/** @throws SkillshelfError `invalid-input` */
export function createPublishClient(
  address: string,
  token: string,
  signal: AbortSignal | undefined,
): PublishClient {
  const { request } = createServerRequest(address, token, signal)
  let etags: ReadonlyMap<string, string | undefined> = new Map()

  return {
    async list() {
      const { data } = await request<{ skills: ServerSkill[] }>({
        method: 'GET',
        path: 'v1/store',
        shape: STORED,
      })
      const { skills } = data
      etags = new Map(skills.map(({ folder, etag }) => [folder, etag]))
      return skills
    },
    async put(files, { folder, allow = [], vectors } = {}) {
      const query = allow.map(path => `allow=${encodeURIComponent(path)}`).join('&')
      const path = folder === undefined ? 'v1/store' : folderPath(folder)
      const { data } = await request<{ diagnostics: Diagnostic[] }>({
        method: folder === undefined ? 'POST' : 'PUT',
        path: query === '' ? path : `${path}?${query}`,
        shape: CHANGE,
        body: await archiveExamined(vectors ? { ...files, [VECTORS_FILE]: vectors } : files, {
          format: 'zip',
        }),
        headers: { 'content-type': 'application/zip' },
      })
      return data.diagnostics
    },
    async remove(folder) {
      try {
        const etag = etags.get(folder)
        const headers = etag ? { 'if-match': etag } : {}
        await request({ method: 'DELETE', path: folderPath(folder), shape: CHANGE, headers })
      } catch (error) {
        if (!isSkillshelfError(error, 'skill-not-found')) throw error
      }
    },
    async sweep({ olderThan, dryRun }) {
      const body = JSON.stringify({ olderThan, dryRun })
      const headers = { 'content-type': 'application/json' }
      return (
        await request<SweepResult>({
          method: 'POST',
          path: 'v1/sweep',
          shape: SWEEP,
          body,
          headers,
        })
      ).data
    },
  }
}

/** Whether the server refused these skills but may accept others. */
export function isRefusal(error: unknown): error is SkillshelfError {
  return isSkillshelfError(error) && [400, 404, 413, 415, 422].includes(error.details.status ?? 0)
}

function folderPath(folder: string): string {
  return `v1/store/${encodeURIComponent(folder)}`
}
