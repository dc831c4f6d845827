/**
 * Starts the hook: `node dist/tools/hook/main.cjs claude-code`. The build makes a CommonJS file of it, and V8 gets the code of `answer.cjs`
 * that it compiled before: loading an ES module and compiling it takes as long as a match. Node 20 has no compile cache of its own.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { takeCode } from './code-cache.js'
import { cacheHome } from './own-files.js'

type Answer = typeof import('./answer.js').answer

const file = join(__dirname, 'answer.cjs')
const source = readFileSync(file, 'utf8')
// V8 compares the length of a source only. The file starts with a comment that has its digest.
const cache = takeCode(cacheHome(), source.slice(2, 18))
const script = new Script(`(function (require, module, __dirname, importModule) {${source}\n})`, {
  filename: file,
  ...(cache.code && { cachedData: cache.code }),
})
const bundle = { exports: {} as { answer: Answer } }
// A script from cached code cannot import, so the build replaces `import` in it.
script.runInThisContext()(require, bundle, __dirname, (specifier: string) => import(specifier))
const answered = bundle.exports.answer(process.argv.slice(2)).catch(() => false)
answered.then(isAnswered => {
  if (script.cachedDataRejected === false) cache.putBack()
  // An answer has compiled all that answers need.
  else if (isAnswered) cache.replace(script.createCachedData())
  // Nothing is left to do, whatever is still open.
  process.exit(0)
})
