import type { EventLoopUtilization } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { watchPressure } from './pressure.ts'

/** An event loop whose work and idle time the test controls. */
function loop() {
  const at = { active: 0, idle: 0 }
  const measure = (from?: EventLoopUtilization): EventLoopUtilization => {
    const active = at.active - (from?.active ?? 0)
    const idle = at.idle - (from?.idle ?? 0)
    return { active, idle, utilization: active / (active + idle || 1) }
  }
  const pass = (active: number, idle: number) => {
    at.active += active
    at.idle += idle
  }
  return { pass, isPressed: watchPressure(measure) }
}

test('a loop that works most of its time is pressed until it has been idle', () => {
  const { pass, isPressed } = loop()
  expect(isPressed()).toBe(false)
  pass(90, 10)
  expect(isPressed()).toBe(true)
  pass(30, 70)
  expect(isPressed()).toBe(false)
})

test('a short burst of work is not pressure', () => {
  const { pass, isPressed } = loop()
  pass(15, 0)
  expect(isPressed()).toBe(false)
  pass(0, 15)
  expect(isPressed()).toBe(false)
})
