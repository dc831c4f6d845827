/**
 * Starts the hook: `node dist/tools/hook/main.cjs claude-code`. CommonJS, with the code that V8 compiled before: loading an ES module and
 * compiling it takes as long as a match. Node 20 has no compile cache of its own.
 */
import fs = require('node:fs')
import os = require('node:os')
import path = require('node:path')
import vm = require('node:vm')

type Answer = typeof import('./answer.js', { with: { 'resolution-mode': 'import' }}).answer

const file = path.join(__dirname, 'answer.cjs')
const source = fs.readFileSync(file, 'utf8')
const folder = path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'skillshelf')
// V8 compares the length of a source only. The file starts with a comment that has its digest.
const name = `hook-${source.slice(2, 18)}.code`
const cachedData = readCode()
const script = new vm.Script(`(function (require, module, __filename, importModule) {${source}\n})`, {
  filename: file,
  ...(cachedData && { cachedData }),
})
const bundle = { exports: {} as { answer: Answer } }
// A script from cached code cannot import, so the build replaces `import` in it.
script.runInThisContext()(require, bundle, file, (specifier: string) => import(specifier))
bundle.exports.answer(process.argv.slice(2)).then(answered => {
  // An answer has compiled all that answers need.
  if (answered && script.cachedDataRejected !== false) writeCode()
  // Nothing is left to do, whatever is still open.
  process.exit(0)
})

function readCode(): Buffer | undefined {
  try {
    return fs.readFileSync(path.join(folder, name))
  } catch {
    return undefined
  }
}

function writeCode(): void {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = path.join(folder, `hook-${process.pid}.code`)
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600 })
    fs.renameSync(temporary, path.join(folder, name))
    for (const old of fs.readdirSync(folder))
      if (/^hook-.*\.code$/.test(old) && old !== name) fs.rmSync(path.join(folder, old), { force: true })
  } catch {
    // The next answer compiles again.
  }
}
