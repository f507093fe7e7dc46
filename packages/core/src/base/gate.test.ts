import { expect, test } from 'vitest'
import { createGate, type GateLimits, type GateOwner } from './gate.ts'

const still = new AbortController().signal

/** Enters works of these owners, and notes the order in which they may begin. */
function open(limits: GateLimits) {
  const gate = createGate(limits)
  const begun: GateOwner[] = []
  const enter = async (owner: GateOwner, signal = still) => {
    const refused = await gate.enter(owner, signal)
    if (refused === null) begun.push(owner)
    return refused
  }
  return { begun, enter, leave: gate.leave }
}

test('owners take turns for a place that is free', async () => {
  const { begun, enter, leave } = open({ running: 1 })
  const works = ['a', 'a', 'a', 'b'].map((owner) => enter(owner))
  for (const owner of ['a', 'a', 'b']) {
    await expect.poll(() => begun.at(-1)).toBe(owner)
    leave(owner)
  }
  await Promise.all(works)
  expect(begun).toEqual(['a', 'a', 'b', 'a'])
})

test('limits the running work of each owner, and does not limit work without an owner', async () => {
  const { begun, enter } = open({ running: 4, runningOfOwner: 1 })
  void enter('a')
  void enter('a')
  await Promise.all([enter('b'), enter(null), enter(null)])
  expect(begun).toEqual(['a', 'b', null, null])
})

test('refuses work when the waiting limit is reached, in total or for one owner', async () => {
  const { enter } = open({ running: 1, waiting: 3, waitingOfOwner: 1 })
  await enter('a')
  void enter('a')
  expect(await enter('a')).toBe('full')
  void enter(null)
  void enter(null)
  expect(await enter('b')).toBe('full')
})

test('work that is aborted while it waits takes no slot', async () => {
  const { begun, enter, leave } = open({ running: 1 })
  await enter('a')
  const leaving = new AbortController()
  const aborted = enter('b', leaving.signal)
  const last = enter('c')
  leaving.abort()
  expect(await aborted).toBe('aborted')
  leave('a')
  await last
  expect(begun).toEqual(['a', 'c'])
  expect(await enter('d', leaving.signal)).toBe('aborted')
})
