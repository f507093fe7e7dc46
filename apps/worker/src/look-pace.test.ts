import { expect, test } from 'vitest'
import { createLookPace } from './look-pace.ts'

function paceAt(pollIntervalMs: number) {
  const time = { ms: 1_000_000 }
  return { time, pace: createLookPace(() => time.ms, pollIntervalMs) }
}

test('looks are a second apart after a minute without work, and a poll apart from the next work on', () => {
  const { time, pace } = paceAt(200)
  expect(pace.everyMs()).toBe(200)
  time.ms += 59_999
  expect(pace.everyMs()).toBe(200)
  time.ms += 1
  expect(pace.everyMs()).toBe(1_000)
  pace.noteWork()
  expect(pace.everyMs()).toBe(200)
  time.ms += 59_999
  expect(pace.everyMs()).toBe(200)
  time.ms += 1
  expect(pace.everyMs()).toBe(1_000)
})

test('polls that are rarer than a second stay as rare', () => {
  const { time, pace } = paceAt(5_000)
  time.ms += 60_000
  expect(pace.everyMs()).toBe(5_000)
})
