import { describe, expect, test } from 'vitest'
import { deviceClock } from '../test/fake-clock.ts'
import type { Fault } from '../test/network.ts'
import { createWorld, ORDER } from '../test/world.ts'
import type { Fetch } from './index.ts'

const never = { rail: [{ submit: 'accepted', outcome: 'never' }] } as const

/** A payment that waits for its payer, and the times of its reads since then. */
async function waiting(rail: Parameters<typeof createWorld>[0] = never) {
  const world = createWorld(rail)
  const payer = world.client()
  const work = payer.pay(ORDER)
  await world.clock.advance(10_000)
  const { sent } = world.network
  const reads = () => sent.filter(({ method }) => method === 'GET').length
  return { ...world, payer, work, reads, before: reads() }
}

describe('between two reads', () => {
  test('it reads often at first, then every five seconds, then every ten [§4.6]', async () => {
    const { clock, client, network } = createWorld(never)
    void client().pay(ORDER)
    await clock.advance(200_000)
    const times = network.sent.filter(({ method }) => method === 'GET').map(({ atMs }) => atMs)
    const gaps = times.slice(2).map((atMs, index) => atMs - (times[index + 1] ?? 0))
    expect(gaps.slice(0, 3)).toEqual([1_000, 1_000, 1_000])
    expect(Math.max(...gaps)).toBe(10_000)
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b))
    expect(gaps.filter((gap) => gap === 5_000).length).toBeGreaterThan(10)
    expect(times.length).toBeLessThan(45)
  })

  test('phones that wait for the same outage do not retry together', async () => {
    const timesWith = async (random: number) => {
      const { clock, client, network } = createWorld({ nextFault: () => ({ kind: 'offline' }) })
      await clock.settle(client({ random: () => random }).resume({ budgetMs: 10_000 }))
      return network.sent.map(({ atMs }) => atMs - clock.now())
    }
    expect(await timesWith(0)).not.toEqual(await timesWith(0.99))
  })

  test('a hidden page does not read, and reads at once when it is shown', async () => {
    const { clock, attention, reads, before } = await waiting()
    attention.turn(false)
    await clock.advance(120_000)
    expect(reads()).toBe(before)
    attention.turn(true)
    await clock.advance(0)
    expect(reads()).toBe(before + 1)
  })

  test('a hidden page still ends in time, with a last read', async () => {
    const { clock, attention, reads, before, work } = await waiting()
    attention.turn(false)
    expect(await clock.settle(work)).toMatchObject({ outcome: 'pending' })
    expect(reads()).toBe(before + 1)
    expect(attention.listeners()).toBe(0)
  })

  test('an unstable connection does not make it read all the time', async () => {
    const { clock, attention, reads, before } = await waiting()
    for (let flap = 0; flap < 1_000; flap += 1) {
      attention.turn(flap % 2 === 1)
      await clock.advance(1)
    }
    expect(reads() - before).toBeLessThanOrEqual(5)
  })

  test('checkNow reads at once', async () => {
    const { clock, payer, reads, before } = await waiting()
    payer.checkNow()
    await clock.advance(0)
    expect(reads()).toBe(before + 1)
  })

  test('an unreachable service is not read in a hot loop', async () => {
    const { clock, client, network } = createWorld({ nextFault: () => ({ kind: 'offline' }) })
    expect(await clock.settle(client().resume())).toMatchObject({ outcome: 'unresolved', reason: 'network' })
    expect(network.sent.length).toBeLessThan(25)
  })
})

describe('a device whose clock is set', () => {
  const HOUR_MS = 3_600_000
  const DAY_MS = 24 * HOUR_MS
  /** The longest delay between two reads. The wait in which the clock is set counts for nothing. */
  const GAP_MOST_MS = 10_000

  /** Such a device, and the times of its reads. The answers have the Date of the service. */
  function createDevice() {
    const world = createWorld(never)
    const { clock, set } = deviceClock(world.clock)
    const fetch: Fetch = async (url, init) => {
      const response = await world.network.fetch(url, init)
      const date = new Date(world.clock.now()).toUTCString()
      return {
        ...response,
        headers: { get: (name) => (name === 'date' ? date : response.headers.get(name)) },
      }
    }
    return { ...world, set, payer: world.client({ clock, fetch }), startedMs: world.clock.now() }
  }

  test.each([
    ['six minutes', {}, 360_000],
    ['its budget', { budgetMs: 60_000 }, 60_000],
  ])('back by a day waits no longer than %s, and reads no more often', async (_what, options, mostMs) => {
    const { clock, set, payer, network, startedMs } = createDevice()
    const work = payer.pay(ORDER, options)
    await clock.advance(30_000)
    set(-DAY_MS)
    expect(await clock.settle(work)).toMatchObject({ outcome: 'pending' })
    expect(clock.now() - startedMs).toBeLessThanOrEqual(mostMs + GAP_MOST_MS)
    expect(network.sent.length).toBeLessThan(60)
  })

  test('forward by an hour waits on until the payer’s time is over, and one minute for the rail', async () => {
    const { clock, set, payer, startedMs } = createDevice()
    const work = payer.pay(ORDER)
    await clock.advance(30_000)
    set(HOUR_MS)
    expect(await clock.settle(work)).toMatchObject({ outcome: 'pending' })
    expect(Math.abs(clock.now() - startedMs - 360_000)).toBeLessThanOrEqual(GAP_MOST_MS)
  })

  test('back by a day reads at once when its page is shown, and at checkNow', async () => {
    const { clock, set, payer, network, attention } = createDevice()
    void payer.pay(ORDER)
    await clock.advance(30_000)
    attention.turn(false)
    await clock.advance(20_000)
    set(-DAY_MS)
    const before = network.sent.length
    attention.turn(true)
    await clock.advance(250)
    set(-DAY_MS)
    payer.checkNow()
    await clock.advance(250)
    expect(network.sent.length).toBe(before + 2)
  })
})

describe('it waits', () => {
  test.each([
    ['for six minutes, the payer’s five and one for the rail', {}, 360_000],
    ['no longer than it is told', { budgetMs: 20_000 }, 20_000],
    ['no longer than the rail gives the payer, whatever it is told', { budgetMs: 86_400_000 }, 360_000],
  ])('%s', async (_name, options, expectedMs) => {
    const { clock, client } = createWorld(never)
    const startedMs = clock.now()
    expect(await clock.settle(client().pay(ORDER, options))).toMatchObject({ outcome: 'pending' })
    expect(clock.now() - startedMs).toBe(expectedMs)
  })

  describe('no longer than its budget', () => {
    const budgetMs = 20_000
    const hang: Fault = { kind: 'hang' }

    test('also for a read under way, and reports what it read before', async () => {
      const { clock, client, network } = createWorld({
        ...never,
        nextFault: ({ atMs }) => (atMs - startedMs > 15_000 ? hang : {}),
      })
      const startedMs = clock.now()
      expect(await clock.settle(client().pay(ORDER, { budgetMs }))).toMatchObject({
        outcome: 'pending',
        intent: { status: 'processing' },
      })
      expect(clock.now() - startedMs).toBe(budgetMs)
      expect(network.sent.at(-1)?.init.signal.aborted).toBe(true)
    })

    test('also for the first read', async () => {
      const { clock, client } = createWorld({ nextFault: () => hang })
      const startedMs = clock.now()
      const result = await clock.settle(client().resume({ budgetMs: 5_000 }))
      expect(result).toEqual({ outcome: 'unresolved', reason: 'network', intent: null })
      expect(clock.now() - startedMs).toBe(5_000)
    })

    test('also for a confirm, whose key the next call sends again: it is charged once', async () => {
      const slow = { rail: [{ submit: 'accepted', submitMs: 25_000 }] } as const
      const { clock, client, network, service, storage } = createWorld(slow)
      const startedMs = clock.now()
      const result = await clock.settle(client().pay(ORDER, { budgetMs }))
      expect(result).toMatchObject({ outcome: 'unresolved', reason: 'network' })
      expect(clock.now() - startedMs).toBe(budgetMs)
      expect([...storage.items.values()].map((text) => JSON.parse(text) as object)).toMatchObject([
        { state: 'sent', key: network.confirms()[0]?.headers['idempotency-key'] },
      ])
      expect(await clock.settle(client().pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
      expect(service.charges.length).toBe(1)
      expect(new Set(network.confirms().map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    })

    test('but reads once more when its page has slept beyond it', async () => {
      const { clock, client, network } = createWorld({ rail: [{ submit: 'accepted', settleMs: 50_000 }] })
      let sleptMs = 0
      const device = { ...clock, now: () => clock.now() + sleptMs }
      const work = client({ clock: device }).pay(ORDER, { budgetMs })
      await clock.advance(15_000)
      const before = network.sent.length
      sleptMs = 60_000
      await clock.advance(30_000)
      expect(await work).toMatchObject({ outcome: 'pending' })
      expect(network.sent.length).toBe(before + 1)
    })

    test('and a budget of zero is one read', async () => {
      const { clock, client, network } = createWorld()
      expect(await clock.settle(client().resume({ budgetMs: 0 }))).toBe(null)
      expect(network.sent).toHaveLength(1)
    })

    test('and sends no order after it', async () => {
      const { clock, client, network, storage } = createWorld()
      const getItem = () => new Promise<null>((resolve) => void clock.setTimeout(() => resolve(null), 1_500))
      const payer = client({ storage: { ...storage, getItem } })
      const result = await clock.settle(payer.pay(ORDER, { budgetMs: 1_000 }))
      expect(result).toMatchObject({ outcome: 'unresolved', reason: 'network' })
      expect(network.confirms()).toEqual([])
    })
  })

  test('by the service’s clock: a device that is years behind does not wait for years', async () => {
    const { clock, client } = createWorld(never)
    const startedMs = clock.now()
    const behind = { ...clock, now: () => clock.now() - 1e11 }
    expect(await clock.settle(client({ clock: behind }).pay(ORDER))).toMatchObject({ outcome: 'pending' })
    expect(clock.now() - startedMs).toBe(30 * 60_000)
  })

  test('and reports the end of the payer’s time by this device’s clock, if the service’s Date is readable', async () => {
    const { clock, client, network } = createWorld(never)
    const aheadMs = 3_600_000
    const seen: (number | null)[] = []
    const payer = client({
      clock: { ...clock, now: () => clock.now() + aheadMs },
      fetch: async (url, init) => {
        const response = await network.fetch(url, init)
        const date = new Date(clock.now()).toUTCString()
        return {
          ...response,
          headers: { get: (name) => (name === 'date' ? date : response.headers.get(name)) },
        }
      },
    })
    const startedMs = clock.now()
    void payer.pay(ORDER, { onProgress: ({ approveByMs }) => seen.push(approveByMs) })
    await clock.advance(10_000)
    const leftMs = (seen.at(-1) ?? 0) - (startedMs + aheadMs)
    expect(Math.abs(leftMs - 300_000)).toBeLessThan(2_000)
  })
})
