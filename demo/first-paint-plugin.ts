import type { Plugin } from 'vite'
import texts from './texts-en-first.js'

const { label: _, ...views } = texts.nav

/** The texts of the first paint by id, in English. layout.ts writes them again in the language of the reader. */
const TEXTS: Readonly<Record<string, string>> = {
  nav: Object.entries(views)
    .map(([view, name]) => `<a href="#/${view}">${name}</a>`)
    .join(''),
  'open-library': texts.openLibrary,
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
