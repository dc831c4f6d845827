/** A library behind HTTP: one handler for Cloudflare Workers, Node and service workers. */
export { createHandler, type ShelfHandler } from './handler.js'
export type { ExecutionLike, Shelf } from './shelf.js'
