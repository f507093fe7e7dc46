import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Fault } from '../test/network.ts'
import {
  INTENT_ID,
  INTENT_SECRET,
  PUBLISHABLE_KEY,
  type RailPlan,
  refuse,
  SESSION_SECRET,
} from '../test/service.ts'
import { BASE_URL, createWorld, ORDER } from '../test/world.ts'
import { type Fetch, PayerClientError, type PaymentProgress } from './index.ts'

const path = `/v1/browser/payment_intents/${INTENT_ID}`
const offline: Fault = { kind: 'offline' }

describe('a payment ends', () => {
  test.each<[string, RailPlan, object]>([
    ['succeeded when the payer approves', { submit: 'accepted' }, { outcome: 'succeeded' }],
    [
      'succeeded when the rail never said that it took the order',
      { submit: 'unknown' },
      { outcome: 'succeeded' },
    ],
    [
      'failed when the payer refuses',
      { submit: 'accepted', outcome: 'failed' },
      { outcome: 'failed', code: 'payer_declined', message: 'No.' },
    ],
    [
      'failed when the rail refuses at once',
      { submit: 'declined', code: 'payer_not_found' },
      { outcome: 'failed', code: 'payer_not_found', message: 'No.' },
    ],
    ['pending when its time is spent', { submit: 'accepted', outcome: 'never' }, { outcome: 'pending' }],
    ['succeeded when the rail was out of reach at first', { submit: 'not_sent' }, { outcome: 'succeeded' }],
  ])('%s', async (_name, plan, expected) => {
    const { clock, client, service } = createWorld({ rail: [plan] })
    const result = await clock.settle(client().pay(ORDER))
    expect(result).toEqual({ ...expected, intent: expect.objectContaining({ id: INTENT_ID }) as object })
    expect(new Set(service.charges.map(({ key }) => key)).size).toBe(1)
    expect(clock.pending()).toBe(0)
  })

  test('canceled if the merchant cancels it [§4.6]', async () => {
    const { clock, client, service } = createWorld({ rail: [{ submit: 'accepted', outcome: 'never' }] })
    clock.setTimeout(service.cancel, 5_000)
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'canceled' })
  })

  test('unresolved if its secret is wrong', async () => {
    const { clock, client, network } = createWorld()
    const other = client({ clientSecret: `${INTENT_ID}_secret_other` })
    const result = await clock.settle(other.pay(ORDER))
    expect(result).toEqual({ outcome: 'unresolved', reason: 'not_found', intent: null })
    expect(network.sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET'])
  })

  test.each<[Fault['kind'], string]>([
    ['offline', 'network'],
    ['hang', 'network'],
    ['error_before', 'server'],
    ['foreign_page', 'protocol'],
  ])(
    'unresolved, nothing sent and within a minute, when every read meets %s [§4.6]',
    async (kind, reason) => {
      const { clock, client, network } = createWorld({ nextFault: () => ({ ...(kind && { kind }) }) })
      const startedMs = clock.now()
      const result = await clock.settle(client().pay(ORDER))
      expect(result).toEqual({ outcome: 'unresolved', reason, intent: null })
      expect(network.confirms()).toEqual([])
      expect(network.sent.length).toBeLessThan(12)
      expect(clock.now() - startedMs).toBeLessThan(70_000)
    },
  )

  test('unresolved for a conflict without a charge', async () => {
    const { clock, client, service, network } = createWorld()
    service.endSession()
    const result = await clock.settle(client().pay(ORDER))
    expect(result).toMatchObject({ outcome: 'unresolved', reason: 'conflict', intent: { id: INTENT_ID } })
    expect(network.confirms().length).toBe(1)
  })

  test('unresolved, and to be tried again, if another device’s charge was in the way and has ended with nothing', async () => {
    const { clock, client, service, network } = createWorld()
    const start = service.handle.bind(service)
    let isFirst = true
    service.handle = async (request) => {
      if (request.method !== 'POST' || !isFirst) return start(request)
      isFirst = false
      return refuse(409, 'charge_in_progress', false)
    }
    const payer = client()
    const result = await clock.settle(payer.pay(ORDER))
    expect(result).toMatchObject({ outcome: 'unresolved', reason: 'server', intent: { id: INTENT_ID } })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(network.confirms().length).toBe(2)
  })

  test('unresolved for a payment that was tried too often, also after a decline', async () => {
    const { clock, client, service, network } = createWorld({ rail: [{ submit: 'declined' }] })
    const payer = client()
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    service.spendAttempts()
    const again = await clock.settle(payer.pay(ORDER))
    expect(again).toMatchObject({
      outcome: 'unresolved',
      reason: 'too_many_attempts',
      intent: { id: INTENT_ID },
    })
    expect(network.confirms().length).toBe(2)
    expect(service.charges.length).toBe(1)
  })

  test('unresolved if the accepted charge is gone, as after an abandoned attempt on another device', async () => {
    const { clock, client, service } = createWorld({ rail: [{ submit: 'accepted', outcome: 'never' }] })
    clock.setTimeout(() => {
      service.intent.status = 'requires_payment_method'
      service.charges.length = 0
    }, 1_500)
    const startedMs = clock.now()
    const result = await clock.settle(client().pay(ORDER))
    expect(result).toMatchObject({ outcome: 'unresolved', reason: 'server' })
    expect(clock.now() - startedMs).toBeLessThan(10_000)
  })

  test('unresolved at once if it is aborted, without a further request', async () => {
    const { clock, client, network } = createWorld()
    const controller = new AbortController()
    clock.setTimeout(() => controller.abort(), 3_000)
    const result = await clock.settle(client().pay(ORDER, { signal: controller.signal }))
    expect(result).toMatchObject({ outcome: 'unresolved', reason: 'aborted' })
    const count = network.sent.length
    await clock.advance(600_000)
    expect(network.sent.length).toBe(count)
  })

  test('with an error for an invalid number, and the corrected one is sent with a new key', async () => {
    const { clock, client, network } = createWorld()
    const payer = client()
    const error = await clock.settle(payer.pay({ ...ORDER, msisdn: 'abc' })).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PayerClientError)
    expect(error).toMatchObject({
      name: 'PayerClientError',
      message: 'The service refused the payment: invalid_request, payment_method_data[mtn_momo_cm][msisdn]',
      reason: 'refused',
      status: 400,
      code: 'invalid_request',
      param: 'payment_method_data[mtn_momo_cm][msisdn]',
      requestId: 'req_1',
    })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    const [first, second] = network.confirms()
    expect(first?.headers['idempotency-key']).not.toBe(second?.headers['idempotency-key'])
  })
})

describe('on the wire', () => {
  test('a payment sends only a confirm and reads, with the publishable key and the secret in headers [§4.6]', async () => {
    const { clock, client, network } = createWorld()
    await clock
      .settle(client({ baseUrl: `${BASE_URL}/pay/` }).pay({ ...ORDER, locale: 'fr' }))
      .catch(() => {})
    const [read] = network.sent
    expect(read?.url).toBe(`${BASE_URL}/pay${path}`)
    expect(read?.init).toEqual({
      method: 'GET',
      headers: {
        Accept: 'application/json',
        'Publishable-Key': PUBLISHABLE_KEY,
        'Client-Secret': INTENT_SECRET,
      },
      signal: expect.any(AbortSignal) as AbortSignal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
  })

  test('a confirm is a form with its own key', async () => {
    const { clock, client, network } = createWorld()
    await clock.settle(client().pay({ ...ORDER, locale: 'fr' }))
    expect(network.confirms().map(({ url, init }) => ({ url, ...init }))).toEqual([
      {
        url: `${BASE_URL}${path}/confirm`,
        method: 'POST',
        headers: {
          Accept: 'application/json',
          'Publishable-Key': PUBLISHABLE_KEY,
          'Client-Secret': INTENT_SECRET,
          'Content-Type': 'application/x-www-form-urlencoded',
          'Idempotency-Key': expect.stringMatching(/^[\x20-\x7e]{16,255}$/) as string,
        },
        body: 'payment_method_data[mtn_momo_cm][msisdn]=6%2070%2000%2000%2001&locale=fr',
        signal: expect.any(AbortSignal) as AbortSignal,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      },
    ])
  })

  test('a session’s secret is enough to find its intent and its publishable key', async () => {
    const { clock, client, network } = createWorld()
    const payer = client({ clientSecret: SESSION_SECRET, publishableKey: undefined })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(new Set(network.sent.map(({ headers }) => headers['client-secret']))).toEqual(
      new Set([SESSION_SECRET]),
    )
  })
})

describe('one payment', () => {
  test.each<[string, Fault[]]>([
    ['the answer is lost', [{}, { kind: 'reply_lost' }]],
    ['the answer is a proxy’s', [{}, { kind: 'error_after' }]],
    ['the answer takes too long', [{}, { backMs: 31_000 }]],
    ['it never arrives', [{}, offline]],
    ['it fails before it is read', [{}, { kind: 'error_before' }]],
    ['it fails, and the next read too', [{}, { kind: 'reply_lost' }, offline, offline]],
  ])('is charged once if its confirm %s', async (_name, faults) => {
    const { clock, client, service, network } = createWorld({ faults })
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
    expect(new Set(network.confirms().map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('is followed and not started if a charge is open', async () => {
    const { clock, client, service, network } = createWorld()
    const other = createWorld().client({ clock, fetch: network.fetch })
    const first = other.pay(ORDER)
    await clock.advance(500)
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(await first).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
    expect(network.confirms().length).toBe(1)
  })

  test('is shared by a second press of the button', async () => {
    const { clock, client, network } = createWorld({ rail: [{ submit: 'declined' }] })
    const payer = client()
    const both = Promise.all([payer.pay(ORDER), payer.pay(ORDER)])
    const [first, second] = await clock.settle(both)
    expect(first).toMatchObject({ outcome: 'failed' })
    expect(second).toEqual(first)
    expect(network.confirms().length).toBe(1)
  })

  test('goes on for the second press if the first one is aborted', async () => {
    const { clock, client, network } = createWorld()
    const payer = client()
    const controller = new AbortController()
    const phases: string[][] = [[], []]
    const note =
      (press: number) =>
      ({ phase }: PaymentProgress) =>
        void phases[press]?.push(phase)
    const first = payer.pay(ORDER, { signal: controller.signal, onProgress: note(0) })
    const second = payer.pay(ORDER, { onProgress: note(1) })
    await clock.advance(500)
    controller.abort()
    expect(await first).toMatchObject({
      outcome: 'unresolved',
      reason: 'aborted',
      intent: { id: INTENT_ID },
    })
    expect(await clock.settle(second)).toMatchObject({ outcome: 'succeeded' })
    expect(phases.map((each) => each.includes('waiting'))).toEqual([false, true])
    expect(network.confirms().length).toBe(1)
  })

  test('goes on for the first press if the second one is aborted, and ends with the last', async () => {
    const { clock, client, network } = createWorld({ rail: [{ submit: 'accepted', outcome: 'never' }] })
    const payer = client()
    const presses = [new AbortController(), new AbortController()] as const
    const results = presses.map(({ signal }) => payer.pay(ORDER, { signal }))
    await clock.advance(3_000)
    presses[1].abort()
    expect(await results[1]).toMatchObject({ outcome: 'unresolved', reason: 'aborted' })
    const count = network.sent.length
    await clock.advance(10_000)
    expect(network.sent.length).toBeGreaterThan(count)
    presses[0].abort()
    expect(await results[0]).toMatchObject({ outcome: 'unresolved', reason: 'aborted' })
    expect(clock.pending()).toBe(0)
  })

  test('starts again after an aborted one, also at once', async () => {
    const { clock, client, service } = createWorld()
    const payer = client()
    const controller = new AbortController()
    const aborted = payer.pay(ORDER, { signal: controller.signal })
    controller.abort()
    const again = payer.pay(ORDER)
    expect(await clock.settle(aborted)).toMatchObject({ outcome: 'unresolved', reason: 'aborted' })
    expect(await clock.settle(again)).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
  })

  test('is sent again if another server than the service answered', async () => {
    const { clock, client, network, service } = createWorld()
    let posts = 0
    const payer = client({
      fetch: async (url, init) => {
        if (init.method !== 'POST' || ++posts > 1) return network.fetch(url, init)
        return { status: 200, headers: { get: () => null }, text: async () => '{"voucher":null}' }
      },
    })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
  })

  test('continues after failed reads', async () => {
    const { clock, client, network } = createWorld()
    let reads = 0
    const payer = client({
      fetch: async (url, init) => {
        if (init.method === 'POST' || ++reads % 2 === 0) return network.fetch(url, init)
        const { status, headers, body } = refuse(404, 'resource_missing', false)
        return { status, headers: { get: (name) => headers[name] ?? null }, text: async () => body }
      },
    })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
  })

  test('can be started again with a new key after a decline', async () => {
    const { clock, client, service, network } = createWorld({ rail: [{ submit: 'declined' }] })
    const payer = client()
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(network.confirms().length).toBe(2)
    expect(service.charges.length).toBe(2)
  })

  test('that is declined twice for the same reason fails twice, also if an answer is lost', async () => {
    const plan = { submit: 'declined' } as const
    const { clock, client, service } = createWorld({
      rail: [plan, plan, plan],
      faults: [{}, {}, {}, {}, { kind: 'reply_lost' }],
    })
    const payer = client()
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    expect(await clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    expect(service.charges.length).toBe(2)
  })

  test('that was sent is looked up after minutes without a network', async () => {
    const { clock, client, service } = createWorld({
      nextFault: ({ method, atMs }) => {
        if (method === 'POST') return { kind: 'reply_lost' }
        return service.charges.length > 0 && atMs < clockStartMs + 200_000 ? offline : {}
      },
    })
    const clockStartMs = clock.now()
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
    expect(clock.now() - clockStartMs).toBeGreaterThan(200_000)
  })

  test('is not sent a minute after the payer requested it', async () => {
    const nextFault = ({ method }: { method: string }): Fault => (method === 'POST' ? offline : {})
    const { clock, client, network } = createWorld({ nextFault })
    const startedMs = clock.now()
    const result = await clock.settle(client().pay(ORDER))
    expect(result).toMatchObject({ outcome: 'unresolved', reason: 'network', intent: { id: INTENT_ID } })
    expect(clock.now() - startedMs).toBeLessThan(90_000)
    expect(network.confirms().length).toBeLessThan(8)
  })
})

describe('a read that is older than the answer to the confirm', () => {
  const declined: RailPlan = { submit: 'declined' }
  const accepted: RailPlan = { submit: 'accepted', settleMs: 10_000 }

  /** Opens a client whose reads show the intent as it was before the last confirm, `times` times. */
  function lagging({ client, network }: ReturnType<typeof createWorld>, times: number) {
    let before = ''
    let left = 0
    const fetch: Fetch = async (url, init) => {
      const { status, headers, ...response } = await network.fetch(url, init)
      const text = await response.text()
      const isConfirm = init.method === 'POST'
      if (isConfirm) left = times
      else if (left > 0) left -= 1
      else before = text
      return { status, headers, text: async () => (isConfirm ? text : before) }
    }
    return () => client({ fetch })
  }

  test.each([1, 2])('does not end the payment, if there are %i of them', async (times) => {
    const world = createWorld({ rail: [accepted] })
    const payer = lagging(world, times)()
    expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
  })

  test.each([1, 2])('does not report the decline before it, if there are %i of them', async (times) => {
    const world = createWorld({ rail: [declined, accepted] })
    const payer = lagging(world, times)()
    expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
  })

  test('is not waited for, if the answer itself has the same decline as before', async () => {
    const world = createWorld({ rail: [declined, declined] })
    const payer = lagging(world, 0)()
    expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    const requests = world.network.sent.length
    expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
    // A read, the confirm and another read.
    expect(world.network.sent.length - requests).toBe(3)
  })

  test('does not report the decline before it after a reload', async () => {
    const world = createWorld({ rail: [declined, accepted] })
    const { clock, client, storage } = world
    expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'failed' })
    // The first of the three is read before the reload.
    const open = lagging(world, 3)
    const controller = new AbortController()
    clock.setTimeout(() => controller.abort(), 1_500)
    await clock.settle(open().pay(ORDER, { signal: controller.signal }))
    expect([...storage.items.values()].join()).toContain('"accepted"')
    expect(await clock.settle(open().resume())).toMatchObject({ outcome: 'succeeded' })
  })
})

describe('a redirect rail', () => {
  const plan: RailPlan = { submit: 'accepted', page: 'https://rail.example/pay/1' }
  const order = { rail: 'orange_money_cm', returnUrl: 'https://shop.example/thanks' }

  test('receives the payer once, from a read, and the payment is followed meanwhile', async () => {
    const { clock, client, network } = createWorld({ rail: [plan] })
    const redirect = vi.fn<(url: string) => void>()
    expect(await clock.settle(client().pay({ ...order, redirect }))).toMatchObject({ outcome: 'succeeded' })
    expect(redirect.mock.calls).toEqual([['https://rail.example/pay/1']])
    expect(network.confirms()[0]?.body).toBe(
      'payment_method_data[type]=orange_money_cm&return_url=https%3A%2F%2Fshop.example%2Fthanks',
    )
  })

  test('receives a payer again who came back and pressed the button again', async () => {
    const { clock, client, service } = createWorld({ rail: [{ ...plan, settleMs: 60_000 }] })
    void client().pay({ ...order, redirect: () => {} })
    await clock.advance(5_000)
    const redirect = vi.fn<(url: string) => void>()
    await clock.settle(client().pay({ ...order, redirect }))
    expect(redirect.mock.calls).toEqual([['https://rail.example/pay/1']])
    expect(service.charges.length).toBe(1)
  })

  test('never receives the payer at an address that is not a web page', async () => {
    const { clock, client } = createWorld({
      rail: [{ ...plan, page: 'javascript:alert(1)', outcome: 'never' }],
    })
    const redirect = vi.fn<(url: string) => void>()
    expect(await clock.settle(client().pay({ ...order, redirect }))).toMatchObject({
      outcome: 'unresolved',
      reason: 'protocol',
    })
    expect(redirect).not.toHaveBeenCalled()
  })
})

test('a rejection of the observer of progress has no effect', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { clock, client } = createWorld()
  const onProgress = async () => Promise.reject(new Error('a fault of the page'))
  expect(await clock.settle(client().pay(ORDER, { onProgress }))).toMatchObject({ outcome: 'succeeded' })
  // Node reports a rejection that is unhandled at the end of a turn.
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})

test('progress reports each step, and an error of the observer has no effect', async () => {
  const { clock, client } = createWorld({ faults: [offline] })
  const seen: string[] = []
  const onProgress = ({ phase, trouble, intent, approveByMs }: PaymentProgress) => {
    seen.push([phase, trouble, intent?.status, approveByMs === null ? null : 'by'].join(' '))
    throw new Error('a fault of the page')
  }
  expect(await clock.settle(client().pay(ORDER, { onProgress }))).toMatchObject({ outcome: 'succeeded' })
  expect([...new Set(seen)]).toEqual([
    'checking   ',
    'checking network  ',
    'sending  requires_payment_method ',
    'waiting  processing by',
  ])
})
