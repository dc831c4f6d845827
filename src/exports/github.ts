/**
 * Skills of a repository on GitHub.
 *
 * @packageDocumentation
 * @module skillshelf/github
 */

export { type GithubOptions, github } from '../source/github/github.js'
export type { HttpOptions, HttpRequest, HttpResponse } from '../source/http/types.js'
export type { ListableSource } from '../source/types.js'
