/**
 * An engine on Qdrant, for libraries of `skillshelf/engines`.
 *
 * @packageDocumentation
 * @module skillshelf/engines/qdrant
 */

export { type QdrantOptions, qdrant } from '../../server/engine/qdrant/qdrant.js'
