import type { Plugin } from 'vite'
import { DOCS, GITHUB, KEYS } from './first-paint.js'
import texts from './texts-en-first.js'

const { label: _, ...views } = texts.nav

const link = (name: string, address: string): string => `<a href="${address}" rel="noopener noreferrer">${name}</a>`
const shortcut = ([action, name]: [string, string]): string => {
  const keys = KEYS[action as keyof typeof KEYS].split(' ').map(key => `<kbd>${key}</kbd> `)
  return `<span>${keys.join('')}${name}</span>`
}

/** The texts of the first paint by id, in English. layout.ts writes them again in the language of the reader. */
const TEXTS: Readonly<Record<string, string>> = {
  nav: Object.entries(views)
    .map(([view, name]) => `<a href="#/${view}">${name}</a>`)
    .join(''),
  'open-library': texts.openLibrary,
  'copy-link': texts.copyLink,
  language: texts.otherLanguage,
  sentence: `<h2>${texts.sentence.replaceAll('|', '<wbr>')}</h2>`,
  tagline: texts.tagline,
  'copy-install': texts.copy,
  start: link('GitHub', GITHUB) + link(texts.links.docs, DOCS),
  question: `<label for="message">${texts.question}</label>`,
  shortcuts: Object.entries(texts.shortcuts).map(shortcut).join(' '),
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
