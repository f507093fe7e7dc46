import { setImmediate as turn } from 'node:timers/promises'
import type { SigningKey } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type ApiProcess, makeKey, merchantClient, mtnMomo, startApi } from './api-process.ts'
import { claimsOf, forge, rsaKeys } from './oauth/forge.ts'

const CLIENTS = 8
const READY_POLL_MS = 50

const publicBaseUrl = 'https://payments.merchant.example'
const issuer = `${publicBaseUrl}/v1/oauth`
const merchantKey = rsaKeys()

interface Replica {
  readonly process: ApiProcess
  readonly origin: string
  readonly readyUrl: string
}

async function startReplica(databaseUrl: string, key: SigningKey): Promise<ApiProcess> {
  return startApi(
    key,
    {
      public_base_url: publicBaseUrl,
      database: { url: databaseUrl, pool_size: 8 },
      internal_listen: { port: 0 },
      merchant_clients: [merchantClient('shop', merchantKey.publicKey)],
      rails: { mtn_momo_cm: mtnMomo },
    },
    { RAIL_KEY: 'rail-key' },
  )
}

async function readyReplica(databaseUrl: string, key: SigningKey): Promise<Replica> {
  const process = await startReplica(databaseUrl, key)
  const { address, internal } = await process.said('ready')
  const { port } = internal as { port: number }
  return { process, origin: String(address), readyUrl: `http://127.0.0.1:${port}/readyz` }
}

const tokenForm = () => ({
  grant_type: 'client_credentials',
  client_id: 'shop',
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: forge(merchantKey.privateKey, claimsOf('shop', issuer, Math.floor(Date.now() / 1_000))),
  audience: 'service:v1',
})

/** A balancer and its clients, which send to the replicas that were ready at the last check. */
function startLoad() {
  const rotation = new Set<string>()
  const tokens: string[] = []
  const failures: string[] = []
  const answered = new Map<string, number>()
  const stopping = new AbortController()
  let turns = 0

  const next = () => [...rotation][turns++ % rotation.size] ?? ''

  async function exchange(path: string, init: RequestInit = {}): Promise<Response> {
    const origin = next()
    const response = await fetch(origin + path, init)
    if (!response.ok) failures.push(`${path} ${response.status} ${await response.clone().text()}`)
    answered.set(origin, (answered.get(origin) ?? 0) + 1)
    return response
  }

  async function once(): Promise<void> {
    const minted = await exchange('/v1/oauth/token', {
      method: 'POST',
      body: new URLSearchParams(tokenForm()),
    })
    const { access_token: fresh } = (await minted.json()) as { access_token: string }
    tokens.push(fresh)
    // The new token, which may reach the other replica before its key, and the oldest.
    for (const token of [fresh, tokens[0]]) {
      const headers = { authorization: `Bearer ${token}` }
      await (await exchange('/v1/events', { headers })).text()
      const create = {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
        body: new URLSearchParams('amount=5&currency=XAF&payment_method_types[]=mtn_momo_cm'),
      }
      await (await exchange('/v1/payment_intents', create)).text()
    }
  }

  async function client(): Promise<void> {
    while (!stopping.signal.aborted) {
      await once().catch((error: unknown) => failures.push(String((error as Error).cause ?? error)))
    }
  }

  const clients: Promise<void>[] = []
  return {
    tokens,
    failures,
    answered,
    join: ({ origin, readyUrl }: Replica) => {
      rotation.add(origin)
      // A health check as balancers make it.
      const timer = setInterval(() => {
        void fetch(readyUrl).then(
          ({ ok }) => ok || rotation.delete(origin),
          () => rotation.delete(origin),
        )
      }, READY_POLL_MS)
      onTestFinished(() => clearInterval(timer))
    },
    start: () => clients.push(...Array.from({ length: CLIENTS }, client)),
    /** Resolves when this many more requests were answered. */
    more: async (count: number) => {
      const done = () => [...answered.values()].reduce((sum, some) => sum + some, 0)
      const until = done() + count
      while (done() < until && failures.length === 0) await turn()
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(clients)
    },
  }
}

test('a new signing key is rolled out under load: no token is refused, no request fails, none is answered 503', async () => {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const [oldKey, newKey] = [makeKey('old'), makeKey('new')]
  const load = startLoad()

  const old = await readyReplica(url, oldKey)
  load.join(old)
  load.start()
  await load.more(200)
  const oldToken = load.tokens[0] ?? ''

  const young = await readyReplica(url, newKey)
  load.join(young)
  await load.more(500)
  for (const { origin } of [old, young]) {
    const jwks = await fetch(`${origin}/v1/oauth/jwks.json`)
    const { keys } = (await jwks.json()) as { keys: { kid: string }[] }
    expect([jwks.headers.get('cache-control'), keys.map(({ kid }) => kid)]).toEqual([
      'public, max-age=300',
      ['new', 'old'],
    ])
  }

  old.process.kill('SIGTERM')
  expect(await old.process.ended).toEqual({ code: 0, stderr: '' })
  await load.more(200)
  await load.stop()
  expect(load.failures).toEqual([])
  expect([...load.answered.keys()].toSorted()).toEqual([old.origin, young.origin].toSorted())

  const kept = await fetch(`${young.origin}/v1/events`, { headers: { authorization: `Bearer ${oldToken}` } })
  expect(kept.status).toBe(200)
  const rolledBack = await startReplica(url, oldKey)
  expect(await rolledBack.ended).toEqual({
    code: 78,
    stderr: 'signing_key: was retired; configure a new key, a retired one cannot return (spec 5.5)\n',
  })
})

test('on SIGTERM readiness fails first, and requests that still arrive are answered with Connection: close', async () => {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const { process, origin, readyUrl } = await readyReplica(url, makeKey('only'))

  process.kill('SIGTERM')
  await process.said('stopping')
  const [ready, late] = await Promise.all([fetch(readyUrl), fetch(`${origin}/healthz`)])

  expect(ready.status).toBe(503)
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
  expect((await process.ended).code).toBe(0)
})
