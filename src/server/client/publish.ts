import { isSkillshelfError, type SkillshelfError } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import type { StoredSkill } from '../../library/store/write/stored-skill.js'
import type { SweepOptions, SweepResult } from '../../library/store/write/sweep.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { writeArchive } from '../../source/archive/write.js'
import { CHANGE, matchesShape, type Shape, STORED, SWEEP } from './response-shapes.js'
import { createServerRequest } from './server-request.js'

export interface ServerSkill extends Omit<StoredSkill, 'name'> {
  /** Missing on servers without conditional writes. */
  etag?: string
}

export type PublishClient = ReturnType<typeof createPublishClient>

/** Creates a client for the store of a server. All requests are idempotent and retried. @throws SkillshelfError `invalid-input` */
export function createPublishClient(address: string, token: string, signal: AbortSignal | undefined) {
  const { base, request: send } = createServerRequest(address, token, signal)
  let etags: ReadonlyMap<string, string | undefined> = new Map()

  const request = <T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    shape: Shape,
    {
      body,
      type,
      ifMatch,
    }: { body?: Uint8Array<ArrayBuffer> | string; type?: string; ifMatch?: string | undefined } = {},
  ): Promise<T> =>
    send({
      method,
      path,
      body,
      headers: { ...(type ? { 'content-type': type } : {}), ...(ifMatch ? { 'if-match': ifMatch } : {}) },
      read({ bytes }) {
        const data = parseJson(bytes)
        return matchesShape(data, shape) ? (data as T) : undefined
      },
    })

  return {
    /** Address of the server, with a trailing slash. */
    address: base.href,
    async list(): Promise<readonly ServerSkill[]> {
      const { skills } = await request<{ skills: ServerSkill[] }>('GET', 'v1/store', STORED)
      etags = new Map(skills.map(({ folder, etag }) => [folder, etag]))
      return skills
    },
    /** Uploads files, each skill in its own folder, or one skill to `folder`. Returns the diagnostics of the server. */
    async put(files: Readonly<Record<string, Uint8Array>>, folder?: string): Promise<readonly Diagnostic[]> {
      const body = await writeArchive(files, { format: 'zip' })
      const [method, path] =
        folder === undefined ? (['POST', 'v1/store'] as const) : (['PUT', folderPath(folder)] as const)
      return (await request<{ diagnostics: Diagnostic[] }>(method, path, CHANGE, { body, type: 'application/zip' }))
        .diagnostics
    },
    /** Removes a skill, if it exists. @throws SkillshelfError `conflict` if it has changed since `list` */
    async remove(folder: string): Promise<void> {
      try {
        await request('DELETE', folderPath(folder), CHANGE, { ifMatch: etags.get(folder) })
      } catch (error) {
        if (!isSkillshelfError(error, 'skill-not-found')) throw error
      }
    },
    /** Removes files that no skill needs any more. */
    sweep: ({ olderThan, dryRun }: Pick<SweepOptions, 'olderThan' | 'dryRun'>): Promise<SweepResult> =>
      request('POST', 'v1/sweep', SWEEP, { body: JSON.stringify({ olderThan, dryRun }), type: 'application/json' }),
  }
}

/** Whether the server refused these skills but may accept others. */
export function isRefusal(error: unknown): error is SkillshelfError {
  return isSkillshelfError(error) && [400, 404, 413, 415, 422].includes(error.details.status ?? 0)
}

function folderPath(folder: string): string {
  return `v1/store/${encodeURIComponent(folder)}`
}
