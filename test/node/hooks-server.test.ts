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

it('[BY-18] React on a server renders the pending state and opens nothing', () => {
  function Search({ input }: { input: react.SkillsInput }) {
    const skills = react.useSkills({ input })
    const { data, status, isFetching } = react.useSearch({ skills, message: 'prune roses' })
    const skill = react.useSkill({ skills, id: 'roses' })
    const file = react.useSkillFile({ skills, id: 'roses', path: 'care.md' })
    const text = [skills.status, status, isFetching, data, skill.status, file.status].join()
    return createElement('p', null, text)
  }
  expect(renderReact(createElement(Search, { input: source }))).toBe(
    '<p>pending,pending,true,,pending,pending</p>',
  )
  expect(renderReact(createElement(Search, { input: undefined }))).toBe(
    '<p>idle,idle,false,,idle,idle</p>',
  )
})

it('[BY-18] Vue on a server renders the pending state and opens nothing', async () => {
  const search = (input: vue.SkillsInput) =>
    createSSRApp({
      setup() {
        // biome-ignore lint/correctness/useHookAtTopLevel: a composable of Vue is no React hook.
        const skills = vue.useSkills({ input })
        // biome-ignore lint/correctness/useHookAtTopLevel: a composable of Vue is no React hook.
        const { data, status, isFetching } = vue.useSearch({ skills, message: 'prune roses' })
        // biome-ignore lint/correctness/useHookAtTopLevel: a composable of Vue is no React hook.
        const skill = vue.useSkill({ skills, id: 'roses' })
        const shown = [skills.status, status, isFetching, data, skill.status]
        return () => h('p', shown.map(one => one.value).join())
      },
    })
  expect(await renderVue(search(source))).toBe('<p>pending,pending,true,,pending</p>')
})
