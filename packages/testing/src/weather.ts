import type { FaultInput, Operation, SettingsPatch } from '@merchant-payments/mock-rails'
import { createDeck, type Random } from './random.ts'

const whens = ['before', 'after'] as const
const outages = [500, 502, 503, 504] as const
const logins = ['token', 'orange_token'] as const
const payments = ['submit', 'submit', 'status', 'orange_submit', 'orange_submit', 'orange_status'] as const

/**
 * What may happen to a request and its answer anywhere, without the rail having said anything untrue: whether it acted,
 * only asking can tell.
 */
function anywhere(random: Random, operation: Operation): FaultInput {
  const when = random.pick(whens)
  return random.pick<FaultInput>([
    { operation, kind: 'reset', when },
    { operation, kind: 'hang', when },
    { operation, kind: 'http', when, status: random.pick(outages) },
    { operation, kind: 'html', when },
    { operation, kind: 'delay', when, delayMs: random.int(20, 150) },
    { operation, kind: 'truncated' },
    { operation, kind: 'slow_drip', intervalMs: random.int(1, 3) },
    { operation, kind: 'resent' },
    // A gateway refuses before the wallet sees anything: these are never said after it did.
    { operation, kind: 'throttled', retryAfterSec: 1 },
    { operation, kind: 'http', status: 401 },
  ])
}

/** A fault for one of the next requests to either rail. */
export function nextFault(random: Random): FaultInput {
  // Seldom: whoever finds the login closed waits there with many others, and none of them sends anything.
  if (random.chance(0.03)) return anywhere(random, random.pick(logins))
  const operation = random.pick(payments)
  const times = random.int(1, 3)
  if (operation.endsWith('status') && random.chance(0.1)) {
    return { operation, kind: 'http', status: 404, body: '{"statusCode":404}', times }
  }
  return { ...anywhere(random, operation), times }
}

const mtnCallbacks = ['on', 'off', 'duplicate', 'garbage', 'wrong_method', 'forged_success'] as const
const mtnMethods = ['PUT', 'POST'] as const
const orangeNotifications = ['on', 'off', 'duplicate', 'garbage', 'forged_success'] as const

/**
 * How both rails behave from one change to the next: where MTN refuses, in which shape, and what becomes of their
 * callbacks. Each way to call back is dealt before any comes again, so that a run of some changes has met them all.
 */
export function createManners(random: Random) {
  const nextMtn = createDeck(
    random,
    mtnCallbacks.flatMap((callbacks) => mtnMethods.map((callbackMethod) => ({ callbacks, callbackMethod }))),
  )
  const nextOrange = createDeck(random, orangeNotifications)
  return () =>
    ({
      mtn: {
        ...nextMtn(),
        refusalsAt: random.pick(['status', 'submit']),
        reasonShape: random.pick(['string', 'object']),
      },
      orange: { notifications: nextOrange() },
    }) satisfies SettingsPatch
}
