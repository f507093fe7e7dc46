import { sqlState, type Writer } from '@merchant-payments/db'
import { pause } from '../base/pause.ts'
import { collectRaised, type Raised, raisedOf, saysAnswer } from '../base/raised.ts'
import { reasonOf } from '../base/reason-of.ts'
import { isOfWaiting } from '../base/refused-statements.ts'
import type { Charge } from '../charges/charge.ts'
import {
  type ChargeKey,
  recordChargeFailure,
  releaseCharges,
  type Reschedule,
  rescheduleCharges,
} from '../charges/store.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import type { Deps } from '../deps.ts'
import { runBatch } from '../queue/run-batch.ts'

export type SettleDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

export interface Settling extends SettleDeps {
  readonly leaseUntilMs: number
}

export interface Unwritten {
  readonly charge: Charge
  readonly raised: readonly Raised[]
}

/**
 * Waits in ms before another try to write a held job. A callback holds the job only for a commit. Without another
 * try, the job and the callback's mark would wait up to a minute for the lease to end.
 */
const HELD_WAITS_MS = [20, 100] as const

/**
 * @param write returns the items that it left, because other transactions hold their jobs
 * @returns those that are still left after the last try
 */
async function writeUntilFree<Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = await write(items)
  for (const waitMs of HELD_WAITS_MS) {
    if (left.length === 0) return left
    await pause(waitMs)
    left = await write(left)
  }
  return left
}

/** Releases charges for which nothing was written, and writes only the alerts about their rails' answers. */
export async function releaseAll(
  { db, clock, leaseUntilMs }: Settling,
  released: readonly Unwritten[],
): Promise<void> {
  await writeSkipped(
    db.writer,
    released.flatMap(({ raised }) => raised),
    clock(),
  )
  const charges = released.map(({ charge }) => charge)
  await writeUntilFree(charges, async (some) =>
    (await releaseCharges(db.writer, some, leaseUntilMs, clock())) ? some : [],
  )
}

export async function writeReschedules(
  settling: Settling,
  reschedules: readonly Reschedule[],
  nowMs: number,
): Promise<void> {
  const left = await writeUntilFree(reschedules, (some) => rescheduleEach(settling, some, nowMs))
  await writeSkipped(
    settling.db.writer,
    left.flatMap(({ raised = [] }) => raised),
    nowMs,
  )
}

/** @returns those whose lease was lost, or whose job another transaction holds */
async function rescheduleEach(
  settling: Settling,
  reschedules: readonly Reschedule[],
  nowMs: number,
): Promise<Reschedule[]> {
  const { db, clock, leaseUntilMs } = settling
  const skipped = await runBatch<Reschedule, boolean>(reschedules, {
    db,
    write: async (some, { writer }) => {
      const left = new Set(await rescheduleCharges(writer, some, leaseUntilMs, nowMs))
      return some.map((one) => left.has(one))
    },
    ofRefused: () => false,
    recordRefusal: async ({ charge, raised = [] }, error, { writer }) => {
      if (!isOfWaiting(error)) return recordFailure(settling, writer, { charge, raised, error })
      await writeSkipped(writer, raised, clock())
      await releaseCharges(writer, [charge], leaseUntilMs, clock())
    },
  })
  return reschedules.filter((_, n) => skipped[n] === true)
}

/**
 * The judgement threw, which is a bug, or PostgreSQL refused to read or write a row of the charge. It delays no other
 * charge.
 */
export interface Failed extends Pick<Unwritten, 'raised'> {
  readonly charge: ChargeKey
  readonly error: unknown
}

/** SQLSTATE classes of data exceptions and constraint violations: the adapter returned what no row can hold. */
const refusedForItsContents = /^2[23]/

export async function recordFailure(
  { alert, clock, leaseUntilMs }: Pick<Settling, 'alert' | 'clock' | 'leaseUntilMs'>,
  writer: Writer,
  { charge, raised, error }: Failed,
): Promise<void> {
  const facts = { charge: charge.id, rail: charge.rail, error: reasonOf(error) }
  const fault = collectRaised(alert, charge.merchantId)
  if (refusedForItsContents.test(sqlState(error) ?? '')) fault.raise('rail_adapter_fault', facts)
  const said = [...raised.filter(saysAnswer), ...fault.raised]
  const ifRests = raisedOf('charge_rests', facts, charge.merchantId)
  const failed = await recordChargeFailure(writer, charge, leaseUntilMs, clock(), { raised: said, ifRests })
  if (failed === 'rests') alert(ifRests.alert, ifRests.facts)
  if (failed === 'skipped') await writeSkipped(writer, said, clock())
}
