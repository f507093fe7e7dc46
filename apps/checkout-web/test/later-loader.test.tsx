import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLaterLoader } from '../src/later-loader.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A script whose fetch fails as long as `isBroken`. */
function script() {
  const state = { isBroken: true, isOnline: true, fetches: 0 }
  const loader = createLaterLoader(
    async () => {
      state.fetches += 1
      if (state.isBroken) throw new TypeError('Failed to fetch dynamically imported module')
      return 'the later screens'
    },
    () => state.isOnline,
  )
  return { state, loader }
}

/** Longer than all tries take. */
const LONG_MS = 10 * 60_000

test('a script that cannot be fetched is tried for a minute, and again when something happens', async () => {
  const { state, loader } = script()
  loader.keepTrying()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(state.fetches).toBe(20)
  state.isBroken = false
  loader.keepTrying()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect([loader.found(), state.fetches]).toEqual(['the later screens', 21])
})

test('two wishes at once make one round of tries', async () => {
  const { state, loader } = script()
  loader.keepTrying()
  loader.keepTrying()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(state.fetches).toBe(20)
})

test('tries without a network do not count', async () => {
  const { state, loader } = script()
  state.isOnline = false
  loader.keepTrying()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  Object.assign(state, { isOnline: true, isBroken: false })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(loader.found()).toBe('the later screens')
})

test('the page learns of a script that a press of the button has fetched', async () => {
  const { state, loader } = script()
  let told = 0
  const forget = loader.subscribe(() => {
    told += 1
  })
  loader.keepTrying()
  await vi.advanceTimersByTimeAsync(LONG_MS)
  await expect(loader.load()).rejects.toThrow('Failed to fetch')
  state.isBroken = false
  expect(await loader.load()).toBe('the later screens')
  expect([loader.found(), told]).toEqual(['the later screens', 1])
  forget()
})
