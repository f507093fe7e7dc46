import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ASKS_MS,
  askers,
  createAdmission,
  type Limits,
  type NoSlot,
  OUTSIDE_OF_OWNER_MAX,
  REST_MS_MAX,
  type Slot,
} from './admission.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits: Limits = {
  running: 3,
  runningOfOwner: 2,
  runningBesideOthers: 2,
  runningUnderPressure: 2,
  waiting: 4,
  waitingOfOwner: 3,
  waitMsMax: 1_000,
}

/** Requests by name, such as `a1` of owner `a`, and what became of each. */
function door(overrides: Partial<Limits> = {}, isPressed = () => false) {
  const admission = createAdmission({ ...limits, ...overrides }, Date.now, isPressed)
  const entered = new Map<string, Slot | NoSlot>()
  const leave = new Map<string, () => void>()
  const order: string[] = []
  const settle = (name: string) => (slot: Slot | NoSlot) => {
    entered.set(name, slot)
    order.push(typeof slot === 'string' ? `${name} ${slot}` : name)
  }
  const come = (...names: string[]) => {
    for (const name of names) {
      const slot = admission.enter(name[0] ?? '', (gone) => leave.set(name, gone))
      if (slot instanceof Promise) void slot.then(settle(name))
      else settle(name)(slot)
    }
  }
  const end = async (name: string) => {
    const slot = entered.get(name)
    if (slot === undefined || typeof slot === 'string') throw new Error(`${name} does not run`)
    slot.release()
    await turn()
  }
  const slotOf = (name: string) => entered.get(name) as Slot
  return { admission, come, end, order, slotOf, go: (name: string) => leave.get(name)?.() }
}

const turn = () => vi.advanceTimersByTimeAsync(0)

describe('a request', () => {
  test('enters at once where there is room, of all and of its owner', () => {
    const { come, order, admission } = door()
    come('a1', 'a2', 'a3', 'b1', 'c1')
    expect(order).toEqual(['a1', 'a2', 'b1'])
    expect([admission.running(), admission.waiting()]).toEqual([3, 2])
  })

  test('is let in when a place is free, its owner’s requests in their order', async () => {
    const { come, end, order } = door()
    come('a1', 'a2', 'a3', 'a4')
    await end('a1')
    come('a5')
    expect(order).toEqual(['a1', 'a2', 'a3'])
    await end('a2')
    await end('a3')
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  test('is refused at once beyond what may wait, of its owner and of all', () => {
    const { come, order } = door({ running: 1, runningOfOwner: 1 })
    come('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2')
    expect(order).toEqual(['a1', 'a5 full', 'b2 full'])
  })

  test('is refused when it has waited too long', async () => {
    const { come, end, order, admission } = door({ runningOfOwner: 1 })
    come('a1', 'a2')
    await vi.advanceTimersByTimeAsync(limits.waitMsMax)
    expect(order).toEqual(['a1', 'a2 full'])
    await end('a1')
    expect([admission.running(), admission.waiting()]).toEqual([0, 0])
  })

  test('whose client has gone gives up its place in the queue, once', async () => {
    const { come, end, order, go, admission } = door({ runningOfOwner: 1 })
    come('a1', 'a2', 'a3')
    go('a2')
    go('a2')
    await end('a1')
    expect(order).toEqual(['a1', 'a2 gone', 'a3'])
    go('a3')
    expect([admission.running(), admission.waiting()]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(limits.waitMsMax)
    expect(order).toHaveLength(3)
  })

  test('gives its place back once', async () => {
    const { come, end, order, admission } = door({ running: 1 })
    come('a1', 'b1', 'c1')
    await end('a1')
    await end('a1')
    expect(order).toEqual(['a1', 'b1'])
    expect(admission.running()).toBe(1)
  })
})

test('owners are let in in turn, however many requests one of them has waiting', async () => {
  const { come, end, order } = door({ running: 1, runningOfOwner: 1, waiting: 600, waitingOfOwner: 500 })
  come('x', ...Array.from({ length: 500 }, (_, n) => `a${n}`), 'b1', 'b2', 'c1')
  for (let n = 0; n < 5; n += 1) await end(order.at(-1) ?? '')
  expect(order).toEqual(['x', 'a0', 'b1', 'c1', 'a1', 'b2'])
})

describe('an owner’s share', () => {
  const shares = { running: 9, runningOfOwner: 3, runningBesideOthers: 1, waiting: 9, waitingOfOwner: 9 }

  test('is smaller while others ask too, and grows back when they have not asked for a while', async () => {
    const { come, end, order, admission } = door({ ...shares, waitMsMax: 60_000 })
    come('a1', 'a2', 'b1', 'a3', 'a4')
    expect(order).toEqual(['a1', 'a2', 'b1'])
    await end('a1')
    expect(order).toHaveLength(3)
    await end('a2')
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3'])
    await vi.advanceTimersByTimeAsync(2 * ASKS_MS)
    come('a5', 'a6')
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3'])
    await turn()
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5'])
    expect([admission.running(), admission.waiting()]).toEqual([4, 1])
  })

  test('stays small between the requests of one who asks now and then', async () => {
    const { come, end, order } = door(shares)
    come('b1')
    await end('b1')
    await vi.advanceTimersByTimeAsync(ASKS_MS - 1)
    come('a1', 'a2')
    expect(order).toEqual(['b1', 'a1'])
  })
})

describe('under pressure', () => {
  const shares = { running: 9, runningOfOwner: 3, runningBesideOthers: 2, runningUnderPressure: 1 }

  test('an owner beside others whose requests wait has fewer places, and each rests as long as it was held', async () => {
    const { come, end, order } = door(shares, () => true)
    come('b1', 'a1', 'a2', 'a3', 'a4')
    expect(order).toEqual(['b1', 'a1', 'a2'])
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    await end('a2')
    await vi.advanceTimersByTimeAsync(19)
    expect(order).toEqual(['b1', 'a1', 'a2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('it has its places back once none of its requests waits', async () => {
    const { come, end, order } = door(shares, () => true)
    come('b1', 'a1', 'a2', 'a3')
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    await end('a2')
    await vi.advanceTimersByTimeAsync(20)
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
    come('a4')
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3', 'a4'])
  })

  test('an owner whose requests do not wait keeps its places', async () => {
    const { come, end, order } = door(shares, () => true)
    come('b1', 'a1', 'a2')
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    come('a3')
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('no place rests for long', async () => {
    const { come, end, order } = door({ ...shares, runningBesideOthers: 1 }, () => true)
    come('b1', 'a1', 'a2')
    await vi.advanceTimersByTimeAsync(10 * REST_MS_MAX)
    await end('a1')
    await vi.advanceTimersByTimeAsync(REST_MS_MAX)
    expect(order).toEqual(['b1', 'a1', 'a2'])
  })

  test('an owner alone has all its places, which do not rest', async () => {
    const { come, end, order } = door(shares, () => true)
    come('a1', 'a2', 'a3', 'a4')
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4'])
  })
})

test('owners are beside each other in all admissions that share who asks', async () => {
  const asking = askers(Date.now)
  const one = createAdmission({ ...limits, runningBesideOthers: 1 }, Date.now, () => false, asking)
  const other = createAdmission(limits, Date.now, () => false, asking)
  const comes = (admission: typeof one, owner: string) => admission.enter(owner, () => undefined)
  expect(comes(other, 'b')).toHaveProperty('release')
  expect(comes(one, 'a')).toHaveProperty('release')
  expect(comes(one, 'a')).toBeInstanceOf(Promise)
})

describe('a place that is asked to rest', () => {
  const shares = { running: 2, runningOfOwner: 1, runningBesideOthers: 1 }

  test('is taken that long, and no longer than a bound, while others ask too', async () => {
    const { come, slotOf, end, order } = door(shares)
    come('b1', 'a1', 'a2', 'a3')
    slotOf('a1').restFor(20)
    await end('a1')
    await vi.advanceTimersByTimeAsync(19)
    expect(order).toEqual(['b1', 'a1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(order).toEqual(['b1', 'a1', 'a2'])
    slotOf('a2').restFor(10 * REST_MS_MAX)
    await end('a2')
    await vi.advanceTimersByTimeAsync(REST_MS_MAX)
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('is free for others at once', async () => {
    const { come, slotOf, end, order, admission } = door({ ...shares, running: 1 })
    come('b1', 'a1')
    await end('b1')
    slotOf('a1').restFor(20)
    await end('a1')
    come('a2', 'b2')
    expect(order).toEqual(['b1', 'a1', 'b2'])
    await end('b2')
    expect(admission.running()).toBe(0)
    await vi.advanceTimersByTimeAsync(20)
    expect(order).toEqual(['b1', 'a1', 'b2', 'a2'])
  })

  test('is free at once while nobody else asks', async () => {
    const { come, slotOf, end, order } = door(shares)
    come('a1', 'a2')
    slotOf('a1').restFor(20)
    await end('a1')
    expect(order).toEqual(['a1', 'a2'])
  })
})

describe('a request that waits outside', () => {
  test('leaves its place to others, and is back at once', async () => {
    const { come, slotOf, order, end, admission } = door({ running: 1, runningOfOwner: 1 })
    come('a1', 'a2', 'b1')
    expect(slotOf('a1').stepOut()).toBe(true)
    await turn()
    expect(order).toEqual(['a1', 'a2'])
    slotOf('a1').stepIn()
    expect(admission.running()).toBe(2)
    await end('a2')
    expect(order).toEqual(['a1', 'a2'])
    await end('a1')
    expect(order).toEqual(['a1', 'a2', 'b1'])
  })

  test('that ends there has no place to give back', () => {
    const { come, slotOf, admission } = door()
    come('a1')
    slotOf('a1').stepOut()
    slotOf('a1').release()
    slotOf('a1').stepIn()
    expect(admission.running()).toBe(0)
  })

  test('keeps its place where its owner has too many outside', async () => {
    const { come, slotOf, admission } = door()
    for (let n = 0; n <= OUTSIDE_OF_OWNER_MAX; n += 1) {
      come(`a${n}`)
      expect(slotOf(`a${n}`).stepOut()).toBe(n < OUTSIDE_OF_OWNER_MAX)
    }
    expect(admission.running()).toBe(1)
    slotOf('a0').release()
    expect(slotOf(`a${OUTSIDE_OF_OWNER_MAX}`).stepOut()).toBe(true)
    expect(admission.running()).toBe(0)
  })
})
