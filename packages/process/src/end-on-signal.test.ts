import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

const module = JSON.stringify(new URL('./end-on-signal.ts', import.meta.url).href)

/** Runs a program that says `up` once it handles signals, and ends it. */
async function endedBy(signal: NodeJS.Signals, program = '') {
  const source = `const { endOnSignal } = await import(${module})
    const ending = endOnSignal({ log: null })
    ${program}
    setInterval(() => undefined, 1_000)
    process.stdout.write('up')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'readable')
  const said = text(child.stdout)
  const closed = once(child, 'close')
  child.kill(signal)
  const [code] = (await closed) as [number | null]
  return { code, said: await said }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends a process in which nothing runs yet at once',
  async (signal) => {
    expect(await endedBy(signal)).toEqual({ code: 0, said: 'up' })
  },
)

test('a signal waits for what runs', async () => {
  const stop = `ending.after(async () => void process.stdout.write(' stopped ' + ending.began()))`
  expect(await endedBy('SIGTERM', stop)).toEqual({ code: 0, said: 'up stopped true' })
})
