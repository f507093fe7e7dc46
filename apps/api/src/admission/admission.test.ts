import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ASKS_MS,
  askers,
  createAdmission,
  FLOOD_WAITING,
  type Limits,
  type NoSlot,
  OUTSIDE_OF_OWNER_MAX,
  REST_MAX_MS,
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
  waitMaxMs: 1_000,
}

/** Sends requests by name, such as `a1` of owner `a`, and records what happens to each. */
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
  test('enters at once while its owner and the process have free slots', () => {
    const { come, order, admission } = door()
    come('a1', 'a2', 'a3', 'b1', 'c1')
    expect(order).toEqual(['a1', 'a2', 'b1'])
    expect([admission.running(), admission.waiting()]).toEqual([3, 2])
  })

  test('enters when a slot becomes free; requests of one owner enter in order', async () => {
    const { come, end, order } = door()
    come('a1', 'a2', 'a3', 'a4')
    await end('a1')
    come('a5')
    expect(order).toEqual(['a1', 'a2', 'a3'])
    await end('a2')
    await end('a3')
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  test('is refused at once when the queue of its owner or of the process is full', () => {
    const { come, order } = door({ running: 1, runningOfOwner: 1 })
    come('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2')
    expect(order).toEqual(['a1', 'a5 full', 'b2 full'])
  })

  test('is refused after waiting for the maximum time', async () => {
    const { come, end, order, admission } = door({ runningOfOwner: 1 })
    come('a1', 'a2')
    await vi.advanceTimersByTimeAsync(limits.waitMaxMs)
    expect(order).toEqual(['a1', 'a2 full'])
    await end('a1')
    expect([admission.running(), admission.waiting()]).toEqual([0, 0])
  })

  test('leaves the queue once when its client disconnects', async () => {
    const { come, end, order, go, admission } = door({ runningOfOwner: 1 })
    come('a1', 'a2', 'a3')
    go('a2')
    go('a2')
    await end('a1')
    expect(order).toEqual(['a1', 'a2 gone', 'a3'])
    go('a3')
    expect([admission.running(), admission.waiting()]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(limits.waitMaxMs)
    expect(order).toHaveLength(3)
  })

  test('returns its slot only once', async () => {
    const { come, end, order, admission } = door({ running: 1 })
    come('a1', 'b1', 'c1')
    await end('a1')
    await end('a1')
    expect(order).toEqual(['a1', 'b1'])
    expect(admission.running()).toBe(1)
  })
})

test('owners enter in turn, however many requests one of them has waiting', async () => {
  const { come, end, order } = door({ running: 1, runningOfOwner: 1, waiting: 600, waitingOfOwner: 500 })
  come('x', ...Array.from({ length: 500 }, (_, n) => `a${n}`), 'b1', 'b2', 'c1')
  for (let n = 0; n < 5; n += 1) await end(order.at(-1) ?? '')
  expect(order).toEqual(['x', 'a0', 'b1', 'c1', 'a1', 'b2'])
})

describe('an owner’s share', () => {
  const shares = { running: 9, runningOfOwner: 3, runningBesideOthers: 1, waiting: 9, waitingOfOwner: 9 }

  test('shrinks while others send requests, and grows back when they stop', async () => {
    const { come, end, order, admission } = door({ ...shares, waitMaxMs: 60_000 })
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

  test('stays small between the requests of an owner who sends one now and then', async () => {
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

  test('an owner with waiting requests gets fewer slots beside others, and each rests as long as it was held', async () => {
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

  test('the owner gets its slots back when none of its requests waits', async () => {
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

  test('an owner without waiting requests keeps its slots', async () => {
    const { come, end, order } = door(shares, () => true)
    come('b1', 'a1', 'a2')
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    come('a3')
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('a slot rests only up to the bound', async () => {
    const { come, end, order } = door({ ...shares, runningBesideOthers: 1 }, () => true)
    come('b1', 'a1', 'a2')
    await vi.advanceTimersByTimeAsync(10 * REST_MAX_MS)
    await end('a1')
    await vi.advanceTimersByTimeAsync(REST_MAX_MS)
    expect(order).toEqual(['b1', 'a1', 'a2'])
  })

  test('a lone owner keeps all its slots, and none of them rests', async () => {
    const { come, end, order } = door(shares, () => true)
    come('a1', 'a2', 'a3', 'a4')
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4'])
  })
})

describe('an idle event loop', () => {
  const shares = {
    running: 9,
    runningOfOwner: 3,
    runningBesideOthers: 2,
    runningUnderPressure: 1,
    waitMaxMs: 60_000,
  }
  const room = { ...shares, waiting: 2 * FLOOD_WAITING, waitingOfOwner: 2 * FLOOD_WAITING }
  const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n + 3}`)

  test('gives an owner with many waiting requests fewer slots, each of which rests', async () => {
    const { come, end, order } = door(room)
    come('b1', 'a1', 'a2', ...many(FLOOD_WAITING + 1))
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    await end('a2')
    await vi.advanceTimersByTimeAsync(19)
    expect(order).toEqual(['b1', 'a1', 'a2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('leaves an owner with fewer waiting requests its slots', async () => {
    const { come, end, order } = door(room)
    come('b1', 'a1', 'a2', ...many(FLOOD_WAITING))
    await vi.advanceTimersByTimeAsync(20)
    await end('a1')
    await end('a2')
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3', 'a4'])
  })
})

test('owners in admissions with shared askers count as each other’s competitors', async () => {
  const asking = askers(Date.now)
  const one = createAdmission({ ...limits, runningBesideOthers: 1 }, Date.now, () => false, asking)
  const other = createAdmission(limits, Date.now, () => false, asking)
  const comes = (admission: typeof one, owner: string) => admission.enter(owner, () => undefined)
  expect(comes(other, 'b')).toHaveProperty('release')
  expect(comes(one, 'a')).toHaveProperty('release')
  expect(comes(one, 'a')).toBeInstanceOf(Promise)
})

describe('a slot with a requested rest', () => {
  const shares = { running: 2, runningOfOwner: 1, runningBesideOthers: 1 }

  test('counts against its owner for that time, up to a bound, while others send requests', async () => {
    const { come, slotOf, end, order } = door(shares)
    come('b1', 'a1', 'a2', 'a3')
    slotOf('a1').restFor(20)
    await end('a1')
    await vi.advanceTimersByTimeAsync(19)
    expect(order).toEqual(['b1', 'a1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(order).toEqual(['b1', 'a1', 'a2'])
    slotOf('a2').restFor(10 * REST_MAX_MS)
    await end('a2')
    await vi.advanceTimersByTimeAsync(REST_MAX_MS)
    expect(order).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  test('is free for other owners at once', async () => {
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

  test('is free at once while no other owner sends requests', async () => {
    const { come, slotOf, end, order } = door(shares)
    come('a1', 'a2')
    slotOf('a1').restFor(20)
    await end('a1')
    expect(order).toEqual(['a1', 'a2'])
  })
})

describe('a request that waits outside', () => {
  test('frees its slot for others, and takes one back at once', async () => {
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

  test('holds no slot to return if it ends there', () => {
    const { come, slotOf, admission } = door()
    come('a1')
    slotOf('a1').stepOut()
    slotOf('a1').release()
    slotOf('a1').stepIn()
    expect(admission.running()).toBe(0)
  })

  test('keeps its slot when its owner already has the maximum outside', async () => {
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
