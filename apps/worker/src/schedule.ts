import { randomUUID } from 'node:crypto'
import {
  alertOfLostProofs,
  collectPayerNumbers,
  type Deps,
  eraseIdleCustomers,
  expireRequests,
  finishErasures,
  HOUR_MS,
  keepTurn,
  lapseSessions,
  MINUTE_MS,
  newFloors,
  newWalk,
  readDueWork,
  recordRaised,
  type Retention,
  rollUp,
  sweepJtis,
  sweepKeys,
  takeTurn,
  type Walk,
} from '@merchant-payments/core'
import type { Log, Metrics } from '@merchant-payments/telemetry'
import { createLanes, type LaneLimits, type Lanes } from './lanes.ts'
import { createLookPace } from './look-pace.ts'
import { type Loop, startLoop } from './loop.ts'
import { DELIVERY_LANES, type DeliverDeps, startDeliveries } from './passes/deliver-webhooks.ts'
import { lanesOfRails } from './passes/by-rail.ts'
import { type FanoutDeps, fanOutEvents } from './passes/fan-out-events.ts'
import { dropOldPartitions, keepStatistics, makePartitions } from './passes/housekeeping.ts'
import { INSTRUCT_LANES, startInstructing, startReturning } from './passes/instruct-refunds.ts'
import { createPassMeters } from './passes/metered.ts'
import type { PassReport } from './passes/pass.ts'
import { rescueLostDeliveries } from './passes/rescue-deliveries.ts'
import { runBulk } from './passes/run-bulk-jobs.ts'
import { SETTLE_LANES, startSettling } from './passes/settle-charges.ts'
import { createSettlePace } from './settle-pace.ts'
import { createWatchdog, PASS_OVERDUE_MS, SWEEP_OVERDUE_MS, WORK_OVERDUE_MS } from './watchdog.ts'

export interface ScheduleDeps extends Pick<Deps, 'rails'>, FanoutDeps, DeliverDeps {
  readonly log: Log
  readonly metrics: Metrics
}

export interface Schedule {
  /** Stops claiming, and resolves when all running work has ended. */
  stop(): Promise<void>
  /** When each pass last succeeded, in epoch milliseconds; null before its first success. */
  lastEnds(): ReadonlyMap<string, number | null>
  overdue(): readonly string[]
}

/** Spec 6.3.8. */
const RESCUE_EVERY_MS = 10 * MINUTE_MS
/** Spec 8: hourly. */
const EXPIRE_EVERY_MS = HOUR_MS
/** An expired approval request keeps its payer's number for at most this long. */
const EXPIRE_APPROVALS_EVERY_MS = 5 * MINUTE_MS
/** docs/operations.md, alert lines: how soon staff hear of a ruling whose transaction the rail reports for another charge. */
const CHECK_PROOFS_EVERY_MS = 5 * MINUTE_MS
const REMOVE_EVERY_MS = MINUTE_MS
const PARTITIONS_EVERY_MS = HOUR_MS
const DROP_EVERY_MS = HOUR_MS
/** Well within autovacuum's interval of one minute, so a queue grows little in between. */
const STATISTICS_EVERY_MS = 15_000
/** Spec 8: hourly. */
const ERASE_IDLE_EVERY_MS = HOUR_MS
/** docs/spec-gaps.md, analytics: how far the counts are behind the ledger. */
const ROLL_UP_EVERY_MS = MINUTE_MS
/** docs/spec-gaps.md, staff: how soon the search finds old digits that are new to it. */
const COLLECT_NUMBERS_EVERY_MS = MINUTE_MS
const TURN_CHECK_MS = 15_000
/** How long the sweep of a replica that died waits for another one, at most. Each step of a sweep extends its turn. */
const TURN_MS = 5 * MINUTE_MS
/** Spec 6.3.1: a queue's pass looks for itself at least this often, also if nothing rings it. */
const UNRUNG_EVERY_MS = 5_000

interface ScheduleOptions {
  /** Spec 6.3.1: at most five seconds. */
  readonly pollIntervalMs: number
  readonly retention: Retention
}

export function startSchedule(deps: ScheduleDeps, options: ScheduleOptions): Schedule {
  const run = createRunner(deps)
  const queues = startQueues(deps, run, options.pollIntervalMs)
  const loops = [...queues, ...startSweeps(deps, run, options.retention)]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await run.ended()
    },
    lastEnds: () => new Map(loops.map(({ name, lastEndMs }) => [name, lastEndMs()])),
    overdue: run.overdue,
  }
}

/** Runs passes under the watchdog, and logs and measures them. */
function createRunner({ metrics, clock, log, alert }: ScheduleDeps) {
  const meters = createPassMeters(metrics, clock)
  const watchdog = createWatchdog(alert)
  const underWay = new Set<Promise<unknown>>()
  /** Tracks the work that a pass left running: `ended` waits for it, and its failure is logged and counted. */
  const follow = (pass: string, ended: Promise<unknown>): void => {
    const followed = watchdog
      .watch(pass, WORK_OVERDUE_MS, ended)
      .catch((error: unknown) => {
        meters.countFailure(pass)
        log.error({ pass, err: error }, 'could not record the results of a pass')
      })
      .finally(() => underWay.delete(followed))
    underWay.add(followed)
  }
  const loop = (
    name: string,
    everyMs: number | (() => number),
    pass: () => Promise<PassReport>,
    overdueMs = PASS_OVERDUE_MS,
  ) =>
    startLoop({
      name,
      everyMs,
      run: () => watchdog.watch(name, overdueMs, meters.measure(name, pass)),
      log,
      clock,
    })
  return {
    meters,
    overdue: () => watchdog.overdue(),
    ended: () => Promise.all(underWay),
    loop,
    /** A loop whose passes leave work running, in lanes. Room in a full lane rings it. */
    laneLoop: (
      name: string,
      everyMs: number | (() => number),
      limits: LaneLimits,
      start: (lanes: Lanes) => Promise<PassReport & { readonly ended: Promise<unknown> }>,
    ) => {
      const lanes = createLanes(limits, () => started.ring())
      const started = loop(name, everyMs, async () => {
        const { full, ended } = await start(lanes)
        follow(name, ended)
        return { full }
      })
      return { ...started, lanes }
    },
  }
}

type Runner = ReturnType<typeof createRunner>

/**
 * One pass produces the next one's work, and rings it. A single read finds the work of other processes in all queues, so
 * that a worker without work costs little.
 */
function startQueues(
  given: ScheduleDeps,
  { loop, laneLoop, meters }: Runner,
  pollIntervalMs: number,
): Loop[] {
  const floors = newFloors()
  const deps = { ...given, floors }
  const everyMs = Math.max(UNRUNG_EVERY_MS, pollIntervalMs)
  const pace = createSettlePace(deps.clock, { unrungMs: everyMs, pollIntervalMs })
  const looks = createLookPace(deps.clock, pollIntervalMs)
  const deliver = laneLoop('deliver-webhooks', everyMs, DELIVERY_LANES, async (lanes) => {
    const { full, ended } = await startDeliveries(deps, lanes, meters.observeAttempt)
    return { full, ended: ended.then(({ finished }) => meters.countDeliveries(finished)) }
  })
  const fanOut = loop('fan-out-events', everyMs, async () => {
    const report = await fanOutEvents(deps)
    meters.countEvents(report.done)
    if (report.done > 0) deliver.ring()
    return report
  })
  const countMoved = (moved: number) => {
    pace.expectDecisions()
    meters.countCharges(moved)
    fanOut.ring()
  }
  const chargeLimits = lanesOfRails(SETTLE_LANES, deps.rails)
  const settle = laneLoop('settle-charges', pace.everyMs, chargeLimits, async (lanes) => {
    const started = await startSettling(deps, lanes, countMoved, meters.observeSettled)
    pace.noteClaimed(started.claimed)
    return started
  })
  const payoutLimits = lanesOfRails(INSTRUCT_LANES, deps.rails)
  const instruct = laneLoop('instruct-refunds', everyMs, payoutLimits, (lanes) =>
    startInstructing(deps, lanes, () => fanOut.ring()),
  )
  const erase = loop('finish-erasures', everyMs, async () => {
    const report = await finishErasures(deps, floors)
    if (report.finished > 0) fanOut.ring()
    return report
  })
  const bulk = loop('run-bulk-jobs', everyMs, async () => {
    const report = await runBulk(deps)
    if (report.done > 0) deliver.ring()
    return report
  })
  const returns = laneLoop('instruct-returns', everyMs, payoutLimits, (lanes) => startReturning(deps, lanes))
  const attention = loop('record-attention', everyMs, () => recordRaised(deps))
  const find = loop('find-due-work', looks.everyMs, async () => {
    const due = await readDueWork(deps.db.reader, deps.clock(), deps.rails, settle.lanes.full(), floors)
    if (Object.values(due).some(Boolean)) looks.noteWork()
    if (due.payersDecide) pace.expectDecisions()
    if (due.charges || due.payersDecide) settle.ring()
    if (due.refunds) instruct.ring()
    if (due.returns) returns.ring()
    if (due.events) fanOut.ring()
    if (due.deliveries) deliver.ring()
    if (due.bulk) bulk.ring()
    if (due.erasures) erase.ring()
    if (due.alerts) attention.ring()
    return { full: false }
  })
  return [settle, instruct, returns, fanOut, deliver, bulk, erase, attention, find]
}

/** Replicas take turns: one at a time sweeps. */
function startSweeps(deps: ScheduleDeps, { loop }: Runner, retention: Retention): Loop[] {
  const { db, clock } = deps
  const holder = randomUUID()
  const sweep = (
    name: string,
    everyMs: number,
    pass: (deps: ScheduleDeps, walk: Walk) => Promise<PassReport>,
  ): Loop => {
    let turn: { readonly sinceMs: number; readonly walk: Walk } | null = null
    const keep = (untilMs: number) => keepTurn(db.writer, { name, holder, untilMs })
    // Another replica goes on soon, or after TURN_MS if this is lost.
    const giveBack = async () => {
      if (turn === null) return
      await keep(clock())
      turn = null
    }
    // A pass is full until the end of its walk, so that a turn is one round.
    const run = async () => {
      const nowMs = clock()
      const untilMs = nowMs + Math.min(everyMs, TURN_MS)
      if (turn !== null && !(await keep(untilMs))) turn = null
      if (turn === null) {
        const isOurs = await takeTurn(db.writer, { name, holder, nowMs, untilMs, everyMs })
        if (!isOurs) return { full: false }
        turn = { sinceMs: nowMs, walk: newWalk() }
      }
      const { full } = await pass(deps, turn.walk).catch(async (error: unknown) => {
        // The fault may be this replica's own.
        await giveBack().catch(() => undefined)
        throw error
      })
      if (full) return { full }
      const endMs = turn.sinceMs + everyMs
      if (endMs !== untilMs) await keep(endMs)
      turn = null
      return { full }
    }
    const sweeping = loop(name, TURN_CHECK_MS, run, SWEEP_OVERDUE_MS)
    const stop = async () => {
      await sweeping.stop()
      await giveBack().catch(() => undefined)
    }
    return { ...sweeping, stop }
  }
  return [
    sweep('rescue-deliveries', RESCUE_EVERY_MS, rescueLostDeliveries),
    sweep('expire-sessions', EXPIRE_EVERY_MS, lapseSessions),
    sweep('expire-approvals', EXPIRE_APPROVALS_EVERY_MS, expireRequests),
    sweep('check-proofs', CHECK_PROOFS_EVERY_MS, alertOfLostProofs),
    sweep('remove-old-keys', REMOVE_EVERY_MS, sweepKeys),
    sweep('remove-old-jtis', REMOVE_EVERY_MS, sweepJtis),
    sweep('keep-statistics', STATISTICS_EVERY_MS, keepStatistics),
    sweep('make-partitions', PARTITIONS_EVERY_MS, makePartitions),
    sweep('drop-partitions', DROP_EVERY_MS, () => dropOldPartitions(deps, retention)),
    sweep('erase-idle-customers', ERASE_IDLE_EVERY_MS, eraseIdleCustomers),
    sweep('roll-up', ROLL_UP_EVERY_MS, rollUp),
    sweep('collect-payer-numbers', COLLECT_NUMBERS_EVERY_MS, collectPayerNumbers),
  ]
}
