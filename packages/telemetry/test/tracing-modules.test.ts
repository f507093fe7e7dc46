import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints every module that the process loads, its own sources and packages alike. */
const program = (config: object | undefined) => `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load: (url, context, nextLoad) => {
      loaded.push(url)
      return nextLoad(url, context)
    },
  })
  const { collectProcess, createLog, createMetrics, openTracing } =
    await import('${new URL('../src/index.ts', import.meta.url).href}')
  const metrics = createMetrics()
  collectProcess(metrics, async () => true)
  await metrics.render()
  createLog('worker', 'info')
  const tracing = await openTracing({
    config: ${JSON.stringify(config)},
    service: 'test',
    clock: () => 0,
    onLost: () => undefined,
  })
  tracing.tracer.start('request', 'server').end({}, false)
  await tracing.close()
  console.log(JSON.stringify(loaded))`

async function loadedBy(config: object | undefined): Promise<readonly string[]> {
  const args = ['--input-type=module', '-e', program(config)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as string[]
}

const ofOpenTelemetry = (urls: readonly string[]) =>
  urls.filter((url) => url.includes('/node_modules/@opentelemetry/'))

test('openTracing: without a collector the process loads nothing of OpenTelemetry', async () => {
  const loaded = await loadedBy(undefined)
  expect(loaded.filter((url) => url.includes('/node_modules/prom-client/'))).not.toEqual([])
  expect(ofOpenTelemetry(loaded)).toEqual([])
})

test('openTracing: with a collector the process loads the SDK', async () => {
  const loaded = await loadedBy({ endpoint: 'http://127.0.0.1:1', sampleRatio: 0 })
  expect(ofOpenTelemetry(loaded)).not.toEqual([])
})
