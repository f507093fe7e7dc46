import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@merchant-payments/ports'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { signAssertion, tokenForm } from '../load/assertion.ts'
import { type Load, loopWhile, perSecond } from '../load/closed-loop.ts'
import { openConnections, requestOf } from '../load/connection.ts'
import { expectStatus } from '../load/merchant.ts'
import { interleave } from '../rounds.ts'
import { MERCHANT } from '../system/deployment.ts'
import { startServer } from '../system/process.ts'
import { metered } from './processor.ts'

const CONNECTIONS = 16

interface TokenServer {
  readonly ports: readonly number[]
  readonly path: string
  readonly audience: string
  readonly target: Readonly<Record<string, string>>
}

/**
 * Measures the token endpoint, which spends each jti in PostgreSQL, against oidc-provider, which does so in
 * memory.
 */
export async function measureToken(bench: Bench): Promise<Figure[]> {
  const { plan, system, counted } = bench
  const { baseUrl, apiPorts } = system
  const path = '/v1/oauth/token'
  const ours = { ports: apiPorts, path, audience: baseUrl + path, target: { audience: 'service:v1' } }
  const peer = await startOidcProvider(bench)
  const runPeer = tokensOf(bench, peer, () => undefined)
  const metering = metered(
    bench,
    'a token',
    tokensOf(bench, ours, () => {
      counted.tokens += 1
    }),
  )
  const rounds = await interleave(
    {
      ours: metering.contestant,
      peer: async () => perSecond(await runPeer()),
    },
    { rounds: plan.rounds, durationMs: plan.roundMs, turn: bench.turn },
  )
  return [
    figureOf({ name: 'token / oidc-provider', unit: '/s', ...rounds, target: { ratioMin: 1.15 } }),
    ...metering.figures(),
  ]
}

/** Each round has a fixed number of tokens, because assertions are signed in advance and each is valid once. */
function tokensOf(
  { plan, system }: Bench,
  { ports, path, audience, target }: TokenServer,
  onToken: () => void,
): () => Promise<Load> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const sign = () => signAssertion(MERCHANT, audience, system.deployment.privateKey)
  return async () => {
    const assertions = await Promise.all(Array.from({ length: plan.tokensPerRound }, sign))
    const requests = assertions.map((assertion) =>
      requestOf('POST', path, headers, tokenForm(MERCHANT, assertion, target)),
    )
    // Opened after signing, because a server closes connections that are idle for that long.
    const connections = await openConnections(ports, CONNECTIONS)
    const load = await loopWhile(
      connections,
      () => requests.length > 0,
      async (connection) => {
        expectStatus(await connection.exchange(requests.pop() ?? ''), 200)
        onToken()
      },
    )
    for (const connection of connections) connection.close()
    return load
  }
}

async function startOidcProvider({ system, closers }: Bench): Promise<TokenServer> {
  const port = await freePort()
  const publicJwk = createPublicKey(system.deployment.privateKey).export({ format: 'jwk' })
  const script = fileURLToPath(new URL('../peers/oidc-provider.ts', import.meta.url))
  const server = await startServer({
    name: 'oidc-provider',
    command: [script, String(port), MERCHANT, JSON.stringify(publicJwk)],
    env: { NODE_ENV: 'production' },
    logFile: join(system.folder, 'oidc-provider.log'),
    readyUrl: `http://127.0.0.1:${port}/.well-known/openid-configuration`,
  })
  closers.add(() => server.stop())
  return {
    ports: [port],
    path: '/token',
    audience: `http://127.0.0.1:${port}`,
    target: { scope: 'payments:write' },
  }
}
