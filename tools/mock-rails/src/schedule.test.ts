import { expect, test } from 'vitest'
import { createSchedule } from './schedule.ts'

function manualClock() {
  let nowMs = 1_000
  return {
    now: () => nowMs,
    set: (ms: number) => {
      nowMs = ms
    },
  }
}

test('tasks run in the order of their times, and equal times in order of arrival', () => {
  const clock = manualClock()
  const schedule = createSchedule(clock.now)
  const ran: string[] = []
  const times = [7, 3, 9, 1, 3, 8, 2, 6, 5, 4]
  for (const [index, time] of times.entries()) {
    schedule.at(2_000 + time, () => ran.push(`${time}#${index}`))
  }
  clock.set(2_100)
  schedule.runDue()
  expect(ran).toEqual(['1#3', '2#6', '3#1', '3#4', '4#9', '5#8', '6#7', '7#0', '8#5', '9#2'])
})

test('a task runs once, when the clock has reached its time', () => {
  const clock = manualClock()
  const schedule = createSchedule(clock.now)
  let runs = 0
  schedule.at(2_000, () => {
    runs += 1
  })
  clock.set(1_999)
  schedule.runDue()
  expect(runs).toBe(0)
  clock.set(2_000)
  schedule.runDue()
  schedule.runDue()
  expect(runs).toBe(1)
})

test('a task scheduled by a task for the same moment runs in the same pass', () => {
  const clock = manualClock()
  const schedule = createSchedule(clock.now)
  const ran: string[] = []
  schedule.at(1_500, () => {
    ran.push('first')
    schedule.at(1_500, () => ran.push('second'))
  })
  clock.set(1_500)
  schedule.runDue()
  expect(ran).toEqual(['first', 'second'])
})

test('the timer runs a task when it is due', async () => {
  const schedule = createSchedule(Date.now)
  await new Promise<void>((resolve) => schedule.at(Date.now() + 5, resolve))
  // An earlier task re-arms a timer that was set for a later one.
  schedule.at(Date.now() + 60_000, () => {})
  await expect(new Promise<void>((resolve) => schedule.at(Date.now(), resolve))).resolves.toBeUndefined()
  schedule.clear()
})

test('after the clock was moved the timer keeps the new time', async () => {
  let offsetMs = 0
  const now = () => Date.now() + offsetMs
  const schedule = createSchedule(now)
  const { promise, resolve } = Promise.withResolvers<void>()
  schedule.at(now() + 60_000, resolve)
  offsetMs = 59_990
  schedule.clockMoved()
  await expect(promise).resolves.toBeUndefined()
})
