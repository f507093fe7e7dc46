import { afterEach, expect, test, vi } from 'vitest'
import { pageAttention } from './attention.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('without a page there is always attention, and no event', () => {
  expect(pageAttention.isOn()).toBe(true)
  expect(() => pageAttention.onChange(() => {})()).not.toThrow()
})

test.each([
  ['visible', true, true],
  ['hidden', true, false],
  ['visible', false, false],
])('a page that is %s with onLine %s has attention: %s', (visibilityState, onLine, expected) => {
  vi.stubGlobal('document', { visibilityState })
  vi.stubGlobal('navigator', { onLine })
  expect(pageAttention.isOn()).toBe(expected)
})

test('a page reports when it is shown, online, or out of the back-forward cache, until it is stopped', () => {
  const window = new EventTarget()
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
  vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window))
  const listener = vi.fn<() => void>()
  const dispatchAll = () => {
    for (const type of ['visibilitychange', 'online', 'pageshow']) window.dispatchEvent(new Event(type))
  }
  const stop = pageAttention.onChange(listener)
  dispatchAll()
  expect(listener).toHaveBeenCalledTimes(3)
  stop()
  dispatchAll()
  expect(listener).toHaveBeenCalledTimes(3)
})
