import { focusManager } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { pauseWhileUnattended } from '../src/attendance.ts'
import { noteRequest } from '../src/last-request.ts'

const MINUTE_MS = 60_000
let attendance: ReturnType<typeof pauseWhileUnattended>
const onSessionOver = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  attendance = pauseWhileUnattended(onSessionOver)
  noteRequest()
})
afterEach(() => {
  attendance.stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
  onSessionOver.mockReset()
})

test('the screen is refreshed for five minutes after the last input, and again from the next one on', () => {
  vi.advanceTimersByTime(4 * MINUTE_MS)
  dispatchEvent(new Event('keydown'))
  vi.advanceTimersByTime(4 * MINUTE_MS)
  expect(focusManager.isFocused()).toBe(true)
  vi.advanceTimersByTime(2 * MINUTE_MS)
  expect(focusManager.isFocused()).toBe(false)
  dispatchEvent(new Event('pointermove'))
  expect(focusManager.isFocused()).toBe(true)
})

test('a hidden tab is not refreshed', () => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  expect(focusManager.isFocused()).toBe(false)
})

describe('the session of a tab that nobody uses', () => {
  test('is asked about when it is over, and not sooner, so that asking keeps none alive', () => {
    vi.advanceTimersByTime(20 * MINUTE_MS)
    dispatchEvent(new Event('keydown'))
    vi.advanceTimersByTime(5 * MINUTE_MS)
    noteRequest()
    vi.advanceTimersByTime(30 * MINUTE_MS)
    expect(onSessionOver).not.toHaveBeenCalled()
    vi.advanceTimersByTime(MINUTE_MS)
    expect(onSessionOver).toHaveBeenCalledTimes(1)
    noteRequest()
    vi.advanceTimersByTime(30 * MINUTE_MS)
    expect(onSessionOver).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(MINUTE_MS)
    expect(onSessionOver).toHaveBeenCalledTimes(2)
  })

  test('is not kept alive by another such tab', () => {
    vi.advanceTimersByTime(5 * MINUTE_MS)
    noteRequest()
    vi.advanceTimersByTime(10 * MINUTE_MS)
    const { stop } = pauseWhileUnattended(onSessionOver)
    onTestFinished(stop)
    vi.advanceTimersByTime(5 * MINUTE_MS)
    noteRequest()
    vi.advanceTimersByTime(30 * MINUTE_MS)
    expect(onSessionOver).not.toHaveBeenCalled()
    vi.advanceTimersByTime(MINUTE_MS)
    expect(onSessionOver).toHaveBeenCalledTimes(2)
  })
})
