import type { BoundedLog } from './bounded.ts'
import { createCallbacks } from './callbacks.ts'
import type { Callbacks } from './callbacks.ts'
import { createMockClock } from './clock.ts'
import type { MockClock } from './clock.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { createMtn } from './mtn/mtn.ts'
import type { Mtn } from './mtn/mtn.ts'
import { createOrange } from './orange/orange.ts'
import type { Orange } from './orange/orange.ts'
import { createSchedule } from './schedule.ts'
import type { Schedule } from './schedule.ts'
import { createSettings } from './settings.ts'
import type { SettingsPatch, SettingsStore } from './settings.ts'
import { createCalls } from './wire/calls.ts'
import type { Call } from './wire/calls.ts'
import { createFaults } from './wire/faults.ts'
import type { Faults } from './wire/faults.ts'
import { createHangingSockets } from './wire/hanging-sockets.ts'
import type { HangingSockets } from './wire/hanging-sockets.ts'

/** The parts that the rails share: one clock, one ledger, one sender of callbacks. */
export type RailCore = {
  readonly clock: MockClock
  readonly schedule: Schedule
  readonly settings: SettingsStore
  readonly ledger: Ledger
  readonly callbacks: Callbacks
}

/** All the state of a mock. Both ports work on it. */
export type Rails = RailCore & {
  readonly calls: BoundedLog<Call>
  readonly faults: Faults
  readonly hanging: HangingSockets
  readonly mtn: Mtn
  readonly orange: Orange
}

export function createRails(settings: SettingsPatch, baseClock?: () => number): Rails {
  const clock = createMockClock(baseClock)
  const core: RailCore = {
    clock,
    schedule: createSchedule(clock.now),
    settings: createSettings(settings),
    ledger: createLedger(),
    callbacks: createCallbacks(clock),
  }
  return {
    ...core,
    calls: createCalls(),
    faults: createFaults(),
    hanging: createHangingSockets(),
    mtn: createMtn(core),
    orange: createOrange(core),
  }
}

/** Restores the state at the start, including the clock. */
export function resetRails(rails: Rails): void {
  rails.schedule.clear()
  rails.clock.reset()
  rails.settings.reset()
  rails.ledger.clear()
  rails.callbacks.clear()
  rails.calls.clear()
  rails.faults.clear()
  rails.hanging.release()
  rails.mtn.clear()
  rails.orange.clear()
}
