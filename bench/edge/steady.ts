import { quantile } from '../rank/measure.js'
import { type Isolate, TOKEN } from './isolate.js'

const CONNECTIONS = 16
const probe = (version: number): string =>
  `---\nname: probe\ndescription: Probes version ${version}.\n---\n\nVersion ${version}.\n`

interface Answer {
  status: number
  ms: number
  mixed: boolean
  /** An error other than a 503 with `Retry-After`. */
  wrong: boolean
}

/** Sends requests while reads fail and a skill changes. Checks that no response mixes versions and each error is a 503 with `Retry-After`. */
export async function steady(what: string, isolate: Isolate, seconds: number): Promise<string[]> {
  const publish = (version: number) =>
    isolate.fetch('/v1/store/probe', {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/markdown' },
      body: probe(version),
    })
  await (await publish(0)).text()
  await (await isolate.fetch('/bench/state?fail=0.1')).text()
  const end = performance.now() + seconds * 1000
  const answers: Answer[] = []
  const ask = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now()
      const response = await isolate.fetch('/v1/skills/probe')
      const body = (await response.json()) as { description?: string; instructions?: string }
      const version = /version (\d+)/.exec(body.description ?? '')?.[1]
      answers.push({
        status: response.status,
        ms: performance.now() - start,
        mixed:
          response.ok && (version === undefined || body.instructions !== `Version ${version}.`),
        wrong: !response.ok && !(response.status === 503 && response.headers.has('retry-after')),
      })
    }
  }
  let published = 0
  const write = async (): Promise<void> => {
    for (let version = 1; performance.now() < end; version++) {
      const response = await publish(version)
      if (response.ok) published++
      await response.text()
    }
  }
  await Promise.all([write(), ...Array.from({ length: CONNECTIONS }, ask)])
  const refused = answers.filter(({ status }) => status === 503).length
  const times = answers.map(({ ms }) => ms)
  return [
    `${what} (${published} times)`,
    String(answers.length),
    `${refused} of 503, ${answers.filter(({ wrong }) => wrong).length} others`,
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1),
    '',
    String(answers.filter(({ mixed }) => mixed).length),
  ]
}
