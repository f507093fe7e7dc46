import { describe, expect, test } from 'vitest'
import type { Fault } from '../test/network.ts'
import { INTENT_ID, type RailPlan } from '../test/service.ts'
import { createWorld, ORDER } from '../test/world.ts'
import { createAttempts } from './attempts.ts'
import type { PayerClient } from './index.ts'
import { safeStorage } from './storage.ts'

const name = `merchant-payments.attempt.${INTENT_ID}`
const declined: RailPlan = { submit: 'accepted', outcome: 'failed', settleMs: 5_000 }

interface Plan {
  readonly rail?: RailPlan[]
  readonly faults?: Fault[]
  readonly leaveAfterMs?: number
}

/** A page that is left in the middle of a payment, and its state after a reload. */
async function reloaded({ rail, faults, leaveAfterMs = 500 }: Plan) {
  const world = createWorld({ ...(rail && { rail }), ...(faults && { faults }) })
  const controller = new AbortController()
  world.clock.setTimeout(() => controller.abort(), leaveAfterMs)
  await world.clock.settle(world.client().pay(ORDER, { signal: controller.signal }))
  const keys = () => world.network.confirms().map(({ headers }) => headers['idempotency-key'])
  return { ...world, keys, page: world.client() }
}

describe('after a reload', () => {
  test('an open charge is followed to its end', async () => {
    const { clock, page, service } = await reloaded({})
    expect(await clock.settle(page.resume())).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
  })

  test('a decline that arrived meanwhile is reported', async () => {
    const { clock, page } = await reloaded({ rail: [declined], leaveAfterMs: 2_000 })
    await clock.advance(60_000)
    expect(await clock.settle(page.resume())).toMatchObject({ outcome: 'failed', code: 'payer_declined' })
  })

  test('a confirm that never arrived cannot be resumed, and its key is used again', async () => {
    const { clock, page, keys } = await reloaded({ faults: [{}, { kind: 'hang' }] })
    expect(await clock.settle(page.resume())).toBe(null)
    expect(await clock.settle(page.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(keys().length).toBe(2)
    expect(new Set(keys()).size).toBe(1)
  })

  test('a confirm that is still on its way makes no second charge, also if the payer gives another number', async () => {
    const { clock, page, service } = await reloaded({ faults: [{}, { outMs: 2_000 }] })
    const result = clock.settle(page.pay({ ...ORDER, msisdn: '6 70 00 00 02' }))
    expect(await result).toMatchObject({ outcome: 'succeeded' })
    await clock.advance(10_000)
    expect(service.charges.length).toBe(1)
  })

  test('another number is charged with a new key after the first attempt has ended', async () => {
    const rail: RailPlan[] = [{ submit: 'not_sent' }, { submit: 'accepted' }]
    const { clock, page, keys, service } = await reloaded({ rail, faults: [{}, { kind: 'reply_lost' }] })
    await clock.advance(5_000)
    const other = { ...ORDER, msisdn: '6 70 00 00 02' }
    expect(await clock.settle(page.pay(other))).toMatchObject({ outcome: 'succeeded' })
    const [first, second, third] = keys()
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(service.charges.map(({ status }) => status)).toEqual(['abandoned', 'succeeded'])
  })

  // The confirm was never answered, so a copy might still arrive and charge the payer beside the new attempt.
  test('an attempt that was reported as failed is closed before another starts, which then succeeds at once', async () => {
    const { clock, page, network, service } = await reloaded({
      rail: [declined],
      faults: [{}, { kind: 'reply_lost', backMs: 60_000 }],
    })
    expect(await clock.settle(page.resume())).toMatchObject({ outcome: 'failed' })
    expect(await clock.settle(page.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    const [lost, closing, next] = network.confirms()
    expect(closing?.headers['idempotency-key']).toBe(lost?.headers['idempotency-key'])
    expect(closing?.body).toBe('')
    expect(next?.headers['idempotency-key']).not.toBe(lost?.headers['idempotency-key'])
    expect(service.charges.length).toBe(2)
  })

  test.each<[string, Fault[]]>([
    ['answered', []],
    ['not answered', [{}, { kind: 'reply_lost', backMs: 60_000 }]],
  ])(
    'a press of the button pays, though the attempt before, %s, was declined meanwhile and nobody was told',
    async (_name, faults) => {
      const { clock, page, service } = await reloaded({ rail: [declined], faults, leaveAfterMs: 2_000 })
      await clock.advance(60_000)
      expect(await clock.settle(page.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
      expect(service.charges.length).toBe(2)
    },
  )

  test('a decline from before the attempt is not reported again', async () => {
    let posts = 0
    const { clock, client } = createWorld({
      rail: [{ submit: 'declined' }],
      nextFault: ({ method }) => (method === 'POST' && ++posts === 2 ? { kind: 'hang' } : {}),
    })
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'failed' })
    const controller = new AbortController()
    clock.setTimeout(() => controller.abort(), 500)
    await clock.settle(client().pay(ORDER, { signal: controller.signal }))
    expect(posts).toBe(2)
    expect(await clock.settle(client().resume())).toBe(null)
  })
})

describe('resume', () => {
  test('finds nothing in a payment without an attempt, after one read', async () => {
    const { clock, client, network } = createWorld()
    expect(await clock.settle(client().resume())).toBe(null)
    expect(network.sent.length).toBe(1)
  })

  test('continues after pending [§4.6]', async () => {
    const { clock, client } = createWorld({ rail: [{ submit: 'accepted', settleMs: 400_000 }] })
    const payer = client()
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'pending' })
    expect(await clock.settle(payer.resume())).toMatchObject({ outcome: 'succeeded' })
  })

  test('never charges', async () => {
    const { clock, client, network } = createWorld({ faults: [{ kind: 'offline' }] })
    await clock.settle(client().resume())
    expect(network.confirms()).toEqual([])
  })
})

describe('two concurrent calls', () => {
  test('follow one charge to the same end', async () => {
    const { clock, client, service } = createWorld()
    const payer = client()
    const work = payer.pay(ORDER)
    await clock.advance(2_000)
    const [paid, resumed] = await clock.settle(Promise.all([work, payer.resume()]))
    expect(paid).toMatchObject({ outcome: 'succeeded' })
    expect(resumed).toEqual(paid)
    expect(service.charges.length).toBe(1)
  })

  test('a slow one that ends an old attempt does not delete a newer one', async () => {
    const { clock, storage, service } = createWorld()
    const now = () => service.intent.created * 1_000
    const attempts = createAttempts({ storage: safeStorage(storage, clock), now, mintKey: () => 'key' })
    const old = attempts.begin(service.intent)
    const young = attempts.begin(service.intent)
    await attempts.move(INTENT_ID, young, 'sent')
    await attempts.end(INTENT_ID, old)
    expect(await attempts.find(INTENT_ID)).toBe(young)
    expect(storage.items.get(name)).toBe(JSON.stringify(young))
  })
})

describe('the storage', () => {
  test('holds the key of the running attempt but no secret or number, and nothing afterwards', async () => {
    const { clock, client, storage } = createWorld()
    const work = client().pay(ORDER)
    await clock.advance(500)
    expect([...storage.items.keys()]).toEqual([name])
    expect(Object.keys(JSON.parse(storage.items.get(name) ?? '') as object)).toEqual([
      'key',
      'errorBefore',
      'beganMs',
      'state',
    ])
    expect(storage.items.get(name)).not.toMatch(/secret|6 ?70 ?00 ?00 ?01/)
    await clock.settle(work)
    expect(storage.items.size).toBe(0)
  })

  test('holds no number that the rail’s message of an earlier decline has', async () => {
    const { clock, client, service, storage } = createWorld({ rail: [{ submit: 'declined' }] })
    const payer = client()
    await clock.settle(payer.pay(ORDER))
    const error = service.intent.last_payment_error
    if (error === null) throw new Error('the charge was not declined')
    Object.assign(error, { message: 'Payer 237670000001 refused.', decline_code: '237670000001' })
    const work = payer.pay(ORDER)
    await clock.advance(500)
    expect(storage.items.size).toBe(1)
    expect(storage.items.get(name)).not.toContain('237670000001')
    await clock.settle(work)
  })

  test('has the key before the request is sent', async () => {
    const { clock, client, storage, network } = createWorld()
    let stored: string | null = null
    const payer: PayerClient = client({
      fetch: (url, init) => {
        if (init.method === 'POST') stored = storage.getItem(name)
        return network.fetch(url, init)
      },
    })
    await clock.settle(payer.pay(ORDER))
    expect(stored).toContain(network.confirms()[0]?.headers['idempotency-key'])
  })

  test.each<[string, string]>([
    ['nonsense', '{'],
    ['something else', '{"key":1}'],
    ['an unknown state', '{"key":"k","errorBefore":"null","beganMs":1795000000000,"state":"odd"}'],
    [
      'a key that the service has forgotten',
      '{"key":"k","errorBefore":"null","beganMs":1794900000000,"state":"sent"}',
    ],
  ])('with %s is as good as empty', async (_name, text) => {
    const { clock, client, storage, network } = createWorld()
    storage.setItem(name, text)
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(network.confirms()[0]?.headers['idempotency-key']).not.toBe('k')
  })

  const fail = () => {
    throw new Error('SecurityError')
  }
  const failing = { getItem: fail, setItem: fail, removeItem: fail }
  test.each([
    ['fails', failing],
    ['is not there', 'session'],
    ['is not wanted', 'none'],
  ] as const)('stops no payment if it %s', async (_name, storage) => {
    const { clock, client, network } = createWorld({ faults: [{}, { kind: 'reply_lost' }] })
    expect(await clock.settle(client({ storage }).pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(new Set(network.confirms().map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('stops no payment if it never answers, and is waited for only once', async () => {
    const silent = () => new Promise<never>(() => {})
    const storage = { getItem: silent, setItem: silent, removeItem: silent }
    const { clock, client, network } = createWorld()
    const startedMs = clock.now()
    const work = client({ storage }).pay(ORDER)
    await clock.advance(3_100)
    expect(network.confirms().map(({ atMs }) => atMs - startedMs)).toEqual([3_000])
    expect(await clock.settle(work)).toMatchObject({ outcome: 'succeeded' })
    expect(clock.pending()).toBe(0)
  })

  test('may be asynchronous, like that of React Native', async () => {
    const { clock, client, storage, keys } = await reloaded({ faults: [{}, { kind: 'hang' }] })
    const later = {
      getItem: async (item: string) => storage.getItem(item),
      setItem: async (item: string, value: string) => storage.setItem(item, value),
      removeItem: async (item: string) => storage.removeItem(item),
    }
    await clock.settle(client({ storage: later }).pay(ORDER))
    expect(new Set(keys()).size).toBe(1)
  })
})
