import { AsyncLocalStorage } from 'node:async_hooks'
import { Refusal } from '@merchant-payments/contract'
import type { Clock, RailAdapter, Rails } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'
import type { FastifyReply } from 'fastify'
import { askers, createAdmission, type Limits, type Slot } from './admission.ts'
import { watchPressure } from './pressure.ts'

/** Parts of the API that take nothing from each other: each has places of its own. */
export type Place = 'v1' | 'v1_pages' | 'v1_writes' | 'browser' | 'staff' | 'sign_in' | 'oauth' | 'callback'

const WAIT_MS_MAX = 10_000

/**
 * docs/spec-gaps.md, load: what runs of all, of one owner alone, of one beside others, and of one under pressure; what
 * waits of all and of one.
 * A request that waits costs a closure, and a refused one comes again: the queues are long.
 */
const surfaceLimits: Readonly<Record<Place, Limits>> = {
  v1: limits(64, 32, 8, 3, 1_024, 512),
  v1_pages: limits(16, 2, 1, 1, 256, 128),
  v1_writes: limits(12, 5, 4, 3, 1_024, 512),
  browser: limits(32, 16, 8, 3, 512, 256),
  staff: limits(8, 8, 8, 8, 64, 64),
  sign_in: limits(8, 4, 4, 2, 32, 24),
  oauth: limits(16, 12, 8, 3, 256, 192),
  callback: limits(4, 3, 2, 2, 64, 48),
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
    waitMsMax: WAIT_MS_MAX,
  }
}

/** docs/spec-gaps.md, load: how large an answer keeps its merchant's share taken for a millisecond, so that others have most of the time. */
const PAGE_BYTES_PER_REST_MS = 16 * 1_024

export type SurfaceLimits = Partial<Record<Place, Partial<Limits>>>

export interface Surfaces {
  /**
   * Runs a request once it has a slot of its surface, which it gives back however it ends.
   *
   * @throws Refusal service_unavailable
   */
  readonly admit: <T>(surface: Place, owner: string, reply: FastifyReply, run: () => Promise<T>) => Promise<T>
  /** Of the request that runs: its place rests after an answer of so many bytes, if others ask too. */
  readonly restAfter: (bytes: number) => void
  /** Counts a request that is refused before it asks for a slot. @returns what to throw */
  readonly shed: (surface: Place) => Refusal
  /** The same rails: a request that waits for one holds no slot meanwhile. */
  readonly outside: (rails: Rails) => Rails
}

export function openSurfaces(
  { metrics, clock }: { metrics: Pick<Metrics, 'counter' | 'gauge'>; clock: Clock },
  overrides: SurfaceLimits = {},
): Surfaces {
  const names = Object.keys(surfaceLimits) as Place[]
  const isPressed = watchPressure()
  // Merchants are beside each other whatever they ask for: one that reads pages, too, beside one that pays.
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

  function shed(surface: Place): Refusal {
    countShed({ surface })
    return unavailable()
  }

  return {
    restAfter: (bytes) => slots.getStore()?.restFor(Math.trunc(bytes / PAGE_BYTES_PER_REST_MS)),
    shed,
    admit: async (surface, owner, reply, run) => {
      const entered = admissions[surface].enter(owner, (gone) => reply.raw.once('close', gone))
      const slot = entered instanceof Promise ? await entered : entered
      if (typeof slot === 'string') {
        if (slot === 'full') throw shed(surface)
        throw unavailable()
      }
      try {
        return await slots.run(slot, run)
      } finally {
        if (slot.release() > 0) countRest({ surface })
      }
    },
    outside: (rails) => new Map([...rails].map(([code, rail]) => [code, callOutside(rail, outside)])),
  }
}

type Admissions = Record<Place, ReturnType<typeof createAdmission>>

function meter(metrics: Pick<Metrics, 'counter' | 'gauge'>, names: readonly Place[], admissions: Admissions) {
  const perSurface = (of: 'running' | 'waiting') => () =>
    names.map((surface) => ({ labels: { surface }, value: admissions[surface][of]() }))
  const labels = ['surface'] as const
  metrics.gauge('requests_running', 'Requests under way, by surface.', labels, perSurface('running'))
  metrics.gauge(
    'requests_waiting',
    'Requests that wait for a place, by surface.',
    labels,
    perSurface('waiting'),
  )
  const countShed = metrics.counter(
    'requests_shed_total',
    'Requests refused for want of a place, by surface.',
    labels,
  )
  for (const surface of names) countShed({ surface }, 0)
  return {
    countShed,
    countRest: metrics.counter(
      'requests_rested_total',
      'Requests after which their merchant’s share rested, by surface.',
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
      findAccountHolder: (msisdn) => outside(() => accountHolders.findAccountHolder(msisdn)),
    },
  }
}
