import { AsyncLocalStorage } from 'node:async_hooks'
import { Refusal } from '@merchant-payments/contract'
import type { Clock, RailAdapter, Rails } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'
import type { FastifyReply } from 'fastify'
import { askers, createAdmission, type Limits, type Slot } from './admission.ts'
import { watchPressure } from './pressure.ts'

/** Classes of slots, each of a part of the API, so that a flood of one does not slow the others. */
export type SlotClass =
  | 'v1'
  | 'v1_pages'
  | 'v1_large'
  | 'v1_writes'
  | 'browser'
  | 'staff'
  | 'sign_in'
  | 'oauth'
  | 'callback'

const WAIT_MAX_MS = 10_000

/**
 * docs/spec-gaps.md, load. The columns are: running in total, running of a lone owner, of an owner beside others, and
 * of one under pressure; waiting in total and of one owner. The queues are long because a waiting request costs only
 * a closure, and a refused one is sent again.
 */
const surfaceLimits: Readonly<Record<SlotClass, Limits>> = {
  v1: limits(64, 32, 8, 3, 1_024, 512),
  v1_pages: limits(16, 2, 1, 1, 256, 128),
  // A request takes it within its slot of v1, once its answer is made. So no more can wait than v1 runs, and each waits only
  // while others are sent. Lists, which can be slow, have slots of their own.
  v1_large: limits(16, 2, 1, 1, 64, 32),
  v1_writes: limits(12, 6, 4, 3, 1_024, 512),
  browser: limits(32, 16, 8, 3, 512, 256),
  staff: limits(8, 6, 4, 2, 64, 48),
  sign_in: limits(8, 4, 4, 2, 32, 24),
  oauth: limits(16, 12, 8, 3, 256, 192),
  // As many as their pool has connections, none of which another surface uses.
  callback: limits(3, 3, 2, 2, 64, 48),
}

function limits(
  running: number,
  runningOfOwner: number,
  runningBesideOthers: number,
  runningUnderPressure: number,
  waiting: number,
  waitingOfOwner: number,
): Limits {
  return {
    running,
    runningOfOwner,
    runningBesideOthers,
    runningUnderPressure,
    waiting,
    waitingOfOwner,
    waitMaxMs: WAIT_MAX_MS,
  }
}

/**
 * Bytes of an answer per ms for which its slot rests, so that other merchants get most of the time.
 * docs/spec-gaps.md, load.
 */
const PAGE_BYTES_PER_REST_MS = 8 * 1_024

export type SurfaceLimits = Partial<Record<SlotClass, Partial<Limits>>>

/** The pool of merchants' writes for which the limits are made. */
const POOL_SIZE = 16

/** Limits for a smaller pool, so that writes outside of shared statements leave connections to the shared ones. */
export function limitsOf(poolSize: number): SurfaceLimits {
  const writes = surfaceLimits.v1_writes
  const share = (limit: number) => Math.max(1, Math.floor(limit * Math.min(1, poolSize / POOL_SIZE)))
  return {
    v1_writes: {
      running: share(writes.running),
      runningOfOwner: share(writes.runningOfOwner),
      runningBesideOthers: share(writes.runningBesideOthers),
      runningUnderPressure: share(writes.runningUnderPressure),
    },
  }
}

export interface Surfaces {
  /**
   * Runs a request when it gets a slot of its class, and releases the slot when the request ends.
   *
   * @throws Refusal service_unavailable
   */
  readonly admit: <T>(
    slotClass: SlotClass,
    owner: string,
    reply: FastifyReply,
    run: () => Promise<T>,
  ) => Promise<T>
  /** Makes the current request's slot rest after an answer of this size, if other owners send requests. */
  readonly restAfter: (bytes: number) => void
  /** Counts a request that is refused before it asks for a slot. @returns the error to throw */
  readonly shed: (slotClass: SlotClass) => Refusal
  /** Wraps the rails so that a request frees its slot while it waits for one. */
  readonly outside: (rails: Rails) => Rails
}

export function openSurfaces(
  { metrics, clock }: { metrics: Pick<Metrics, 'counter' | 'gauge'>; clock: Clock },
  overrides: SurfaceLimits = {},
): Surfaces {
  const names = Object.keys(surfaceLimits) as SlotClass[]
  const isPressed = watchPressure()
  // Merchants compete across all classes: one that reads pages competes with one that pays.
  const merchants = askers(clock)
  const admissions = Object.fromEntries(
    names.map((name) => [
      name,
      createAdmission(
        { ...surfaceLimits[name], ...overrides[name] },
        clock,
        isPressed,
        name.startsWith('v1') ? merchants : askers(clock),
      ),
    ]),
  ) as Admissions
  const slots = new AsyncLocalStorage<Slot>()
  const { countShed, countRest } = meter(metrics, names, admissions)

  async function outside<T>(call: () => Promise<T>): Promise<T> {
    const slot = slots.getStore()
    if (slot?.stepOut() !== true) return call()
    try {
      return await call()
    } finally {
      slot.stepIn()
    }
  }

  function shed(slotClass: SlotClass): Refusal {
    countShed({ surface: slotClass })
    return unavailable()
  }

  return {
    restAfter: (bytes) => slots.getStore()?.restFor(Math.trunc(bytes / PAGE_BYTES_PER_REST_MS)),
    shed,
    admit: async (slotClass, owner, reply, run) => {
      const entered = admissions[slotClass].enter(owner, (gone) => reply.raw.once('close', gone))
      const slot = entered instanceof Promise ? await entered : entered
      if (typeof slot === 'string') {
        if (slot === 'full') throw shed(slotClass)
        throw unavailable()
      }
      try {
        return await slots.run(slot, run)
      } finally {
        if (slot.release() > 0) countRest({ surface: slotClass })
      }
    },
    outside: (rails) => new Map([...rails].map(([code, rail]) => [code, callOutside(rail, outside)])),
  }
}

type Admissions = Record<SlotClass, ReturnType<typeof createAdmission>>

function meter(
  metrics: Pick<Metrics, 'counter' | 'gauge'>,
  names: readonly SlotClass[],
  admissions: Admissions,
) {
  const perSurface = (of: 'running' | 'waiting') => () =>
    names.map((surface) => ({ labels: { surface }, value: admissions[surface][of]() }))
  const labels = ['surface'] as const
  metrics.gauge('requests_running', 'Running requests, by surface.', labels, perSurface('running'))
  metrics.gauge('requests_waiting', 'Requests waiting for a slot, by surface.', labels, perSurface('waiting'))
  const countShed = metrics.counter(
    'requests_shed_total',
    'Requests refused because no slot was free, by surface.',
    labels,
  )
  for (const surface of names) countShed({ surface }, 0)
  return {
    countShed,
    countRest: metrics.counter(
      'requests_rested_total',
      'Requests whose slot rested after their answer, by surface.',
      labels,
    ),
  }
}

const unavailable = () =>
  new Refusal(
    'service_unavailable',
    'Too many requests are under way. Send the same request again after a moment.',
  )

function callOutside(rail: RailAdapter, outside: <T>(call: () => Promise<T>) => Promise<T>): RailAdapter {
  const { refunds, accountHolders } = rail
  return {
    ...rail,
    submitCharge: (charge) => outside(() => rail.submitCharge(charge)),
    queryCharge: (charge) => outside(() => rail.queryCharge(charge)),
    refunds: refunds && {
      ...refunds,
      submitRefund: (refund) => outside(() => refunds.submitRefund(refund)),
      queryRefund: (reference) => outside(() => refunds.queryRefund(reference)),
    },
    accountHolders: accountHolders && {
      findAccountHolder: (lookup) => outside(() => accountHolders.findAccountHolder(lookup)),
    },
  }
}
