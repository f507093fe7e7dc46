import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { entryOf, isBuilt } from '../peers/built.ts'
import { type Contestant, interleave } from '../rounds.ts'

const run = promisify(execFile)
const calls = fileURLToPath(new URL('../peers/sdk-calls.ts', import.meta.url))
const sdk = '@merchant-payments/node-sdk'

/** As long as the api's. node:http as a client sets its timers by it. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000

/**
 * Measures the SDK against stripe-node, undici.request and node:http alone: calls in a second of CPU time, and the time
 * of its import.
 */
export async function measureSdk({ plan }: Pick<Bench, 'plan'>): Promise<Figure[]> {
  const echo = createServer((request, response) => {
    request.resume()
    const body = request.url === '/v1/oauth/token' ? token : intent
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  echo.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const { port } = echo.address() as AddressInfo
  const { ours, oursOverUndici, stripe, undici, nodeHttp } = await interleave(
    {
      ours: callsOf('ours', port),
      oursOverUndici: callsOf('oursOverUndici', port),
      stripe: callsOf('stripe', port),
      undici: callsOf('undici', port),
      nodeHttp: callsOf('nodeHttp', port),
    },
    { rounds: plan.rounds, durationMs: plan.roundMs },
  )
  echo.closeAllConnections()
  echo.close()
  const unit = '/s'
  return [
    figureOf({ name: 'SDK calls / stripe-node', unit, ours, peer: stripe, target: { ratioMin: 2 } }),
    figureOf({ name: 'SDK calls / node:http alone', unit, ours, peer: nodeHttp }),
    figureOf({ name: 'SDK calls / undici.request', unit, ours, peer: undici }),
    figureOf({
      name: 'SDK calls over undici / undici.request',
      unit,
      ours: oursOverUndici,
      peer: undici,
      target: { ratioMin: 0.8 },
    }),
    ...(isBuilt(sdk) ? [await measureImport(plan.importRounds)] : []),
  ]
}

/** Runs each round in a new process, so that one client never collects the other's garbage. */
const callsOf =
  (name: string, port: number): Contestant =>
  async (durationMs) => {
    const urls = [entryOf(sdk, 'index-node'), entryOf(sdk, 'undici')]
    const { stdout } = await run(process.execPath, [calls, name, String(port), String(durationMs), ...urls])
    return Number(stdout)
  }

/** The SDK's target: it adds at most 5 ms to a process's start. */
async function measureImport(rounds: number): Promise<Figure> {
  const importOf =
    (url: string): Contestant =>
    async () => {
      const script = `const start = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - start)`
      return Number((await run(process.execPath, ['--input-type=module', '--eval', script])).stdout)
    }
  const times = await interleave(
    { ours: importOf(entryOf(sdk, 'index-node')), peer: importOf(import.meta.resolve('stripe')) },
    { rounds, durationMs: 0 },
  )
  return figureOf({ name: 'import of the SDK / stripe-node', unit: 'ms', ...times, target: { max: 5 } })
}

const token = JSON.stringify({ access_token: 'bench', token_type: 'Bearer', expires_in: 900 })
const intent = JSON.stringify({
  id: 'pi_019a5b3c7d8e7f0081a2b3c4d5e6f708',
  object: 'payment_intent',
  amount: 1000,
  currency: 'XAF',
  status: 'requires_payment_method',
  payment_method_types: ['mtn_momo_cm'],
  customer: null,
  metadata: { order: '42' },
  client_secret: 'pi_019a5b3c7d8e7f0081a2b3c4d5e6f708_secret_bench',
  next_action: null,
  last_payment_error: null,
  created: 1_795_000_000,
  livemode: false,
})
