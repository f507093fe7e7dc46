import type { FaultInput, Operation, SettingsPatch } from '@merchant-payments/mock-rails'
import { createDeck, type Random } from './random.ts'

const whens = ['before', 'after'] as const
const outages = [500, 502, 503, 504] as const
const logins = ['token', 'orange_token'] as const
const payments = ['submit', 'submit', 'status', 'orange_submit', 'orange_submit', 'orange_status'] as const

/**
 * A network fault of a request or its answer. The rail has sent nothing untrue; only a query can tell whether
 * it acted.
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
    // A gateway refuses before the wallet sees the request, so these never follow an action of the wallet.
    { operation, kind: 'throttled', retryAfterSec: 1 },
    { operation, kind: 'http', status: 401 },
  ])
}

export function nextFault(random: Random): FaultInput {
  // Seldom, because a failing login blocks many requests at once and none of them is sent.
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
 * Makes changes of both rails' behaviour: where MTN refuses, in which shape, and how the rails call back.
 * Each way to call back is dealt before any repeats, so a run of several changes uses all of them.
 */
export function createBehaviours(random: Random) {
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
