import type { Plugin } from 'vite'
import { firstPaint, type Make } from './first-paint.js'
import texts from './texts-en-first.js'

/** An element as HTML. */
const make: Make<string> = (tag, attributes, ...children) => {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`)
  return `<${tag}${written.join('')}>${children.join('')}${tag === 'wbr' ? '' : `</${tag}>`}`
}

/** Writes texts into the built page, so that it is readable before its script runs, and nothing moves when it does. */
export const firstPaintPlugin: Plugin = {
  name: 'first-paint',
  apply: 'build',
  transformIndexHtml: {
    order: 'pre',
    handler: html =>
      Object.entries(firstPaint(texts, make)).reduce((page, [id, content]) => {
        const empty = new RegExp(`(<(\\w+) id="${id}"[^>]*>)(?=</\\2>)`)
        if (!empty.test(page)) throw new Error(`index.html has no empty #${id}`)
        return page.replace(empty, (tag: string) => tag + content.join(''))
      }, html),
  },
}
