import type { Plugin } from 'vite'
import texts from './texts-en.js'
import { LISTED_VIEWS, viewHash } from './url.js'

/** The texts of the first paint by id, in English. layout.ts writes them again in the language of the reader. */
const TEXTS: Readonly<Record<string, string>> = {
  nav: LISTED_VIEWS.map(view => `<a href="${viewHash(view)}">${texts.nav[view]}</a>`).join(''),
  'open-library': texts.openLibrary,
  'copy-link': texts.link.copy,
  language: texts.otherLanguage,
  sentence: `<h2>${texts.sentence.replaceAll('|', '<wbr>')}</h2>`,
  tagline: texts.tagline,
  'copy-install': texts.copy,
  question: `<label for="message">${texts.question}</label>`,
}

/** Writes texts into the built page, so that it is readable before its script runs, and nothing moves when it does. */
export const firstPaint: Plugin = {
  name: 'first-paint',
  apply: 'build',
  transformIndexHtml: {
    order: 'pre',
    handler: html =>
      Object.entries(TEXTS).reduce((page, [id, text]) => {
        const empty = new RegExp(`(<(\\w+) id="${id}"[^>]*>)(?=</\\2>)`)
        if (!empty.test(page)) throw new Error(`index.html has no empty #${id}`)
        return page.replace(empty, (tag: string) => tag + text)
      }, html),
  },
}
