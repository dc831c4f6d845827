/**
 * Skills of a repository on GitHub.
 *
 * @packageDocumentation
 * @module skillshelf/github
 */

export { type GithubOptions, github } from '../source/github.js'
export type { HttpOptions, HttpRequest, HttpResponse } from '../source/http/options.js'
export type { ListableSource } from '../source/source.js'
