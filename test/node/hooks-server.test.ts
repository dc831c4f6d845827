import { createElement } from 'react'
import { renderToString as renderReact } from 'react-dom/server'
import { expect, it } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import * as react from '../../src/exports/react.js'
import * as vue from '../../src/exports/vue.js'

/** Fails if it is read. */
const source = {
  name: 'garden',
  read: () => {
    throw new Error('Read on a server')
  },
}

it('[BY-18] React on a server renders the loading state and opens nothing', () => {
  function Search({ input }: { input: react.SkillsInput }) {
    const skills = react.useSkills(input)
    const { matches, pending } = react.useMatch(skills, 'prune roses')
    return createElement(
      'p',
      null,
      `${skills.status} ${skills.skills.length}: ${pending ? '…' : ''}${matches.length}`,
    )
  }
  expect(renderReact(createElement(Search, { input: source }))).toBe('<p>loading 0: 0</p>')
  expect(renderReact(createElement(Search, { input: undefined }))).toBe('<p>idle 0: 0</p>')
})

it('[BY-18] Vue on a server renders the loading state and opens nothing', async () => {
  const search = (input: vue.SkillsInput) =>
    createSSRApp({
      setup() {
        // biome-ignore lint/correctness/useHookAtTopLevel: a composable of Vue is no React hook.
        const skills = vue.useSkills(input)
        // biome-ignore lint/correctness/useHookAtTopLevel: a composable of Vue is no React hook.
        const { matches, pending } = vue.useMatch(skills, 'prune roses')
        return () =>
          h(
            'p',
            `${skills.status.value} ${skills.skills.value.length}: ${pending.value ? '…' : ''}${matches.value.length}`,
          )
      },
    })
  expect(await renderVue(search(source))).toBe('<p>loading 0: …0</p>')
})
