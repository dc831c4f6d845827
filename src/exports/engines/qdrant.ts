/**
 * An engine on Qdrant, for libraries of `skillshelf/engines`.
 *
 * @packageDocumentation
 * @module skillshelf/engines/qdrant
 */

export { type QdrantOptions, qdrant } from '../../engine/qdrant/qdrant.js'
