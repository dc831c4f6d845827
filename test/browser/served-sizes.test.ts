import { expect, it } from 'vitest'
import { atEnd } from './indexeddb-helpers.js'

it('[BY-40] the page counts files that its service worker served, which some browsers report as empty', async () => {
  const script = new URL('./served-sizes.worker.js', import.meta.url)
  const registration = await navigator.serviceWorker.register(script.pathname)
  atEnd(() => registration.unregister())
  atEnd(() => caches.delete('served-sizes'))
  const worker = registration.installing ?? registration.waiting ?? registration.active
  await new Promise<void>(resolve => {
    const check = (): void => {
      if (worker?.state === 'activated') resolve()
    }
    worker?.addEventListener('statechange', check)
    check()
  })
  const frame = document.createElement('iframe')
  const counted = new Promise(resolve => {
    addEventListener('message', ({ data, source }) => {
      if (source === frame.contentWindow && data?.bytes !== undefined) resolve(data.bytes)
    })
  })
  frame.src = new URL('./served/page', import.meta.url).pathname
  document.body.append(frame)
  atEnd(() => frame.remove())
  expect(await counted).toBe(12_345)
})
