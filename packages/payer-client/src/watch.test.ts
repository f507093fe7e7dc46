import { describe, expect, test } from 'vitest'
import { deviceClock } from '../test/fake-clock.ts'
import { createWorld, ORDER } from '../test/world.ts'
import type { BrowserIntent, WatchOptions } from './index.ts'

async function declined(lateSuccessMs?: number) {
  const late = lateSuccessMs === undefined ? {} : { lateSuccessMs }
  const world = createWorld({ rail: [{ submit: 'declined', ...late }] })
  const payer = world.client()
  expect(await world.clock.settle(payer.pay(ORDER))).toMatchObject({ outcome: 'failed' })
  world.network.sent.length = 0
  const watched = async (options?: WatchOptions) => {
    const seen: BrowserIntent['status'][] = []
    for await (const { status } of payer.watch(options)) seen.push(status)
    return seen
  }
  return { ...world, watched }
}

describe('after a decline', () => {
  test('a late success is reported, and ends the watch', async () => {
    const { clock, watched, network } = await declined(100_000)
    expect(await clock.settle(watched())).toEqual(['requires_payment_method', 'succeeded'])
    expect(network.sent.length).toBe(4)
  })

  test('the watch ends by itself after twenty minutes', async () => {
    const { clock, watched, network } = await declined()
    const startedMs = clock.now()
    expect(await clock.settle(watched())).toEqual(['requires_payment_method'])
    expect(clock.now() - startedMs).toBe(1_200_000)
    expect(network.sent.length).toBe(40)
  })

  test('the watch ends after that time also if the clock is set back', async () => {
    const { clock, client, network } = await declined()
    const device = deviceClock(clock)
    const startedMs = clock.now()
    const watching = client({ clock: device.clock }).watch()[Symbol.asyncIterator]()
    await clock.settle(watching.next())
    device.set(-86_400_000)
    expect(await clock.settle(watching.next())).toMatchObject({ done: true })
    expect(clock.now() - startedMs).toBeLessThanOrEqual(1_230_000)
    expect(network.sent.length).toBeLessThanOrEqual(41)
  })

  test('the watch has the configured length and interval', async () => {
    const { clock, watched, network } = await declined()
    await clock.settle(watched({ everyMs: 10_000, forMs: 60_000 }))
    expect(network.sent.length).toBe(6)
  })

  test('the watch ends with its signal', async () => {
    const { clock, watched } = await declined(100_000)
    const controller = new AbortController()
    clock.setTimeout(() => controller.abort(), 50_000)
    expect(await clock.settle(watched({ signal: controller.signal }))).toEqual(['requires_payment_method'])
    expect(clock.pending()).toBe(1)
  })

  test('a hidden page does not read, and reads at once when it is shown', async () => {
    const { clock, watched, attention } = await declined(100_000)
    const work = watched()
    attention.turn(false)
    await clock.advance(200_000)
    attention.turn(true)
    await clock.advance(0)
    expect(await work).toEqual(['succeeded'])
  })
})
