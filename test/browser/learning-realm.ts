import './realm-globals.js'
import { expose, windowEndpoint } from 'comlink'
import { openLearning } from './learning-library.js'

// A tab that learns on request.

const libraries = new Map<string, ReturnType<typeof openLearning>>()

function library(database: string): ReturnType<typeof openLearning> {
  const known = libraries.get(database) ?? openLearning(database)
  libraries.set(database, known)
  return known
}

const realm = {
  open: async (database: string) => void (await library(database)),
  learn: async (database: string, messages: readonly string[], skill: string) => {
    const opened = await library(database)
    await Promise.all(messages.map(message => opened.learn(message, skill)))
  },
  forgetAll: async (database: string) => (await library(database)).forget({ all: true }),
  match: async (database: string, message: string) =>
    (await (await library(database)).match(message)).matches.map(({ name }) => name),
}

export type LearningRealm = typeof realm

expose(realm, windowEndpoint(parent))
parent.postMessage('ready', '*')
