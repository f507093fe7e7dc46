import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '@merchant-payments/db'
import { type Cell, type Cells, MoveRefused } from './cell.ts'
import { findEncodingFaults } from './encodings.ts'
import { awaitWayForFence, lowerFence, raiseFence } from './fence.ts'
import { findPartedProofs, findProofFaults } from './proofs.ts'
import { putOffJobs, recallJobs } from './put-off.ts'
import { copyUnit, countRows, type Digest, digestOf, readShapes, removeUnit } from './rows.ts'
import {
  beginMove,
  changeState,
  findLastPassage,
  findMove,
  hasArrived,
  hasReturned,
  type Move,
  type Operator,
  requireMove,
} from './state.ts'
import { findSchemaFaults } from './schemas.ts'
import { addToTotals, takeFromTotals } from './totals.ts'
import { jobTables, leasedTables, movedTables, type Unit, units } from './tables.ts'

/** A worker's lease ends within a minute, and so does a held key. The rest is for clocks. */
const DRAIN_MS = 65_000
const DRAIN_POLL_MS = 50
/** Rows of jobs that one statement removes. */
const REMOVAL_MAX = 5_000
/** Times that the step to frozen waits for the merchant's last transactions, each as long as `LOCK_TIMEOUT_MS`. */
const FREEZE_TRIES_MAX = 6
/** A month before it the service has had no merchants. */
const MONTHS_MAX = 600

export interface Moving extends Cells {
  readonly merchantId: string
  readonly operator: Operator
  readonly report: (line: string) => void
}

const merchantColumn = (table: string) =>
  units.find((unit) => unit.table === table)?.merchant ?? 'merchant_id'

/** What hinders a move, and how much it would copy. Changes nothing. */
export async function plan({ from, to, merchantId, report }: Omit<Moving, 'operator'>): Promise<string[]> {
  const schemas = await findSchemaFaults(from, to)
  // The other checks read this release's tables.
  if (schemas.length > 0) return schemas
  const faults = await findProofFaults({ from, to }, merchantId)
  faults.push(...(await findEncodingFaults({ from, to })))
  const unknownKeys = await findUnknownKeys(from, to)
  if (unknownKeys.length > 0)
    faults.push(`${to.name} lacks the signing keys ${unknownKeys.join(', ')}: tokens would end`)
  const [own, others] = [await findModeOf(from, merchantId), await findMode(to)]
  // The refund of a sandbox's payment would pay real money there.
  if (own !== null && others !== null && own !== others)
    faults.push(`the payments of ${merchantId} are of ${own}, and those of ${to.name} of ${others}`)
  const [leaving, arriving] = [await findMove(from, merchantId), await findMove(to, merchantId)]
  if (leaving?.state === 'left') faults.push(`${merchantId} has left ${from.name} for ${leaving.otherCell}`)
  if (arriving?.state === 'left')
    faults.push(
      `${to.name} still has the rows with which ${merchantId} left it: forget them first, --from ${to.name} --to ${arriving.otherCell}`,
    )
  let total = 0
  for (const table of movedTables) {
    const rows = await countRows(from, table, merchantColumn(table), merchantId)
    total += rows
    if (rows > 0) report(`${table}: ${rows} rows`)
    const mayHaveCopy = arriving !== null || leaving?.state === 'left'
    const copied = mayHaveCopy ? 0 : await countRows(to, table, merchantColumn(table), merchantId)
    if (copied > 0)
      faults.push(
        `${to.name} has ${copied} rows of ${merchantId} in ${table}: forget or abandon that copy first`,
      )
  }
  // The databases have no list of merchants.
  if (total === 0) faults.push(`${from.name} has no rows of ${merchantId}: is its name right?`)
  report(`${total} rows to copy from ${from.name} to ${to.name}`)
  report(
    `${merchantId} is ${leaving?.state ?? 'here'} in ${from.name}, ${arriving?.state ?? 'absent'} in ${to.name}`,
  )
  const { rows: waiting } = await from.client.query<{ n: string }>(
    `select count(*) as n from approval_requests where merchant_id = $1 and status = 'pending'`,
    [merchantId],
  )
  if (waiting[0]?.n !== '0')
    report(`${waiting[0]?.n} approval requests stay in ${from.name}: decide them first, or make them again`)
  for (const { rail, n } of await countOpen(from, merchantId))
    report(`${n} charges and payouts at ${rail}, which ${to.name} must ask about with the same account there`)
  return faults
}

function requireNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new MoveRefused(faults.join('\n'))
}

/** The mode of a merchant's newest payment. */
const findModeOf = (cell: Cell, merchantId: string) =>
  readMode(cell, 'select livemode from payment_intents where merchant_id = $1 order by id desc limit 1', [
    merchantId,
  ])

const findMode = (cell: Cell) =>
  readMode(cell, 'select livemode from payment_intents order by greatest(id) desc limit 1')

async function readMode({ client }: Cell, query: string, values: string[] = []): Promise<string | null> {
  const { rows } = await client.query<{ livemode: boolean }>(query, values)
  const [newest] = rows
  if (newest === undefined) return null
  return newest.livemode ? 'livemode' : 'testmode'
}

/** What the worker of the new cell will ask each rail about. */
async function countOpen({ client }: Cell, merchantId: string): Promise<{ rail: string; n: string }[]> {
  const jobs = ['charge_jobs', 'refund_jobs', 'return_jobs'].map(
    (table) => `select rail from ${table} where merchant_id = $1`,
  )
  const { rows } = await client.query<{ rail: string; n: string }>(
    `select rail, count(*) as n from (${jobs.join(' union all ')}) j group by rail order by rail`,
    [merchantId],
  )
  return rows
}

async function findUnknownKeys(from: Cell, to: Cell): Promise<string[]> {
  const kidsOf = async ({ client }: Cell) => {
    const { rows } = await client.query<{ kid: string }>(
      'select kid from signing_keys where revoked_at is null and retired_at is null',
    )
    return rows.map(({ kid }) => kid)
  }
  const known = new Set(await kidsOf(to))
  return (await kidsOf(from)).filter((kid) => !known.has(kid))
}

/**
 * Closes the merchant's writes: new ones are refused, what runs may finish. Then nothing of the merchant is written in
 * either cell, but by this tool.
 */
export async function drain(moving: Moving): Promise<void> {
  const { from, to, merchantId, operator, report } = moving
  requireNone(await plan({ ...moving, report: () => undefined }))
  const isBegun = (await findMove(from, merchantId)) !== null
  if (!isBegun && (await findMove(to, merchantId)) !== null)
    throw new MoveRefused(`${to.name} has a copy of an earlier move of ${merchantId}: abandon it first`)
  if (!isBegun) {
    // What hinders these would otherwise hinder the move while the merchant is closed.
    await makeMonths(from, to, merchantId)
    for (const cell of [to, from]) await awaitWayForFence(cell, report)
  }
  const leaving = await beginMove(
    from,
    merchantId,
    { moveId: randomUUID(), state: 'draining', otherCell: to.name },
    operator,
  )
  const { moveId } = leaving
  const arriving = await beginMove(
    to,
    merchantId,
    { moveId, state: 'arriving', otherCell: from.name },
    operator,
  )
  if (arriving.moveId !== moveId)
    throw new MoveRefused(`${to.name} expects another move of ${merchantId}: abandon it first`)
  await requireMove(to, merchantId, ['arriving'])
  // Not once the merchant is frozen: its copy may have begun, and would differ.
  if (leaving.state === 'draining') await putOffJobs(from, merchantId)
  await raiseFence(to, report)
  if (leaving.state === 'frozen') return report(`${merchantId} is frozen in ${from.name}`)
  await requireMove(from, merchantId, ['draining'])
  await raiseFence(from, report)
  await untilIdle(moving)
  await freeze(moving)
  report(`${merchantId} is frozen in ${from.name}`)
}

/** Waits for leases of the worker and for requests that have a key in flight. The others are carried along. */
async function untilIdle({ from, merchantId, report }: Moving): Promise<void> {
  const untilMs = monotonicMs() + DRAIN_MS
  const leases = leasedTables.map(
    (table) => `select count(*) from ${table} where merchant_id = $1 and lease_until > now()`,
  )
  const keys = 'select count(*) from idempotency_keys where merchant_id = $1 and held_until > now()'
  const statement = `select (${[...leases, keys].map((one) => `(${one})`).join(' + ')})::integer as running`
  for (;;) {
    const { rows } = await from.client.query<{ running: number }>(statement, [merchantId])
    const running = rows[0]?.running ?? 0
    if (running === 0) return
    if (monotonicMs() > untilMs)
      return report(`${running} jobs and requests did not end: they are carried along`)
    await delay(DRAIN_POLL_MS)
  }
}

/** The row's lock makes this wait for every transaction that has written a row of the merchant. */
async function freeze({ from, merchantId, operator, report }: Moving): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const move = await requireMove(from, merchantId, ['draining'])
      return await changeState(from, merchantId, move, 'frozen', operator)
    } catch (error) {
      const waits = error instanceof Error && 'code' in error && error.code === '55P03'
      if (!waits || tries >= FREEZE_TRIES_MAX) throw error
      report(`waiting for a transaction of ${merchantId}`)
    }
  }
}

/** Both cells are of the same move, and nothing but this tool writes. */
async function requireFrozen({ from, to, merchantId }: Moving) {
  const leaving = await requireMove(from, merchantId, ['frozen'])
  const arriving = await requireMove(to, merchantId, ['arriving'])
  if (leaving.moveId !== arriving.moveId)
    throw new MoveRefused(`the cells are of different moves of ${merchantId}: abandon the move first`)
  return { leaving, arriving }
}

export async function copy(moving: Moving): Promise<number> {
  const { from, to, merchantId, report } = moving
  await requireFrozen(moving)
  requireNone(await findSchemaFaults(from, to))
  await makeMonths(from, to, merchantId)
  const shapes = await readShapes(from, movedTables)
  requireSameShapes(shapes, await readShapes(to, movedTables))
  requireNone(await findProofFaults(moving, merchantId))
  const startedMs = monotonicMs()
  let total = 0
  for (const unit of units) {
    const rows = await copyUnit(from, to, shapes, unit, merchantId)
    if (rows > 0) report(`${unit.table}: copied ${rows} rows`)
    total += rows
  }
  const seconds = Math.max((monotonicMs() - startedMs) / 1_000, 0.001)
  report(`copied ${total} rows in ${seconds.toFixed(1)} s (${Math.round(total / seconds)} a second)`)
  return total
}

function requireSameShapes(here: ReadonlyMap<string, unknown>, there: ReadonlyMap<string, unknown>): void {
  for (const table of movedTables)
    if (JSON.stringify(here.get(table)) !== JSON.stringify(there.get(table)))
      throw new MoveRefused(`the columns of ${table} differ between the cells: migrate both first`)
}

/**
 * Makes the partitions of the months that the merchant's rows have. Its oldest row can be an attempt: events and deliveries
 * of the month before are dropped first. No worker drops a month until the move has ended.
 */
async function makeMonths(from: Cell, to: Cell, merchantId: string): Promise<void> {
  const { rows } = await from.client.query<{ month: string }>(
    `select month::text from generate_series(
      date_trunc('month', (select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
        from (
          (select id from events where merchant_id = $1 order by id limit 1)
          union all (select event_id from deliveries where merchant_id = $1 order by event_id limit 1)
          union all (select delivery_id from delivery_attempts where merchant_id = $1 order by delivery_id limit 1)
        ) t order by id limit 1)), now(), interval '1 month') month
      limit ${MONTHS_MAX}`,
    [merchantId],
  )
  for (const { month } of rows) await to.client.query('select ensure_partitions($1::timestamptz)', [month])
}

export interface Compared {
  readonly digests: readonly Digest[]
  readonly differences: readonly string[]
}

/** Compares every table. Only a copy without a difference may be switched to. */
export async function verify(moving: Moving): Promise<Compared> {
  const { from, to, merchantId, report } = moving
  await requireFrozen(moving)
  const digests: Digest[] = []
  const differences: string[] = []
  for (const table of movedTables) {
    const column = merchantColumn(table)
    const [ours, theirs] = await Promise.all([
      digestOf(from, table, column, merchantId),
      digestOf(to, table, column, merchantId),
    ])
    digests.push(ours)
    if (ours.rows !== theirs.rows || ours.hash !== theirs.hash)
      differences.push(
        `${table}: ${from.name} has ${ours.rows} rows (${ours.hash}), ${to.name} has ${theirs.rows} (${theirs.hash})`,
      )
    else if (ours.rows > 0) report(`${table}: ${ours.rows} rows, ${ours.hash}`)
  }
  await to.client.query(
    `update merchant_moves set verified_at = case when $2::boolean then now() end where merchant_id = $1`,
    [merchantId, differences.length === 0],
  )
  return { digests, differences }
}

/** Whether the merchant has left for the new cell, so that only `switchOver` can go on. */
export async function hasLeft({ from, to, merchantId }: Moving): Promise<boolean> {
  const leaving = await findMove(from, merchantId)
  return leaving?.state === 'left' && leaving.otherCell === to.name
}

/**
 * Opens the merchant in its new cell. From its first step on the old cell refuses reads too, so at no time do two cells
 * answer. It can be run again until it succeeds.
 *
 * @param route changes the maps of the proxy. Until then nobody reaches the merchant, so nothing before it waits long. It can
 *   fail, so the jobs have their times back before it.
 */
export async function switchOver(moving: Moving, route: () => Promise<void>): Promise<void> {
  const { from, to, merchantId, operator, report } = moving
  const leaving = await requireMove(from, merchantId, ['frozen', 'left'])
  const arriving = await findMove(to, merchantId)
  if (arriving === null) {
    const last = await findLastPassage(to, merchantId)
    if (leaving.state !== 'left' || last?.moveId !== leaving.moveId || !last.isArrival)
      throw new MoveRefused(`${to.name} expects no copy of ${merchantId}: drain and copy first`)
  } else {
    if (arriving.moveId !== leaving.moveId)
      throw new MoveRefused(`the cells are of different moves of ${merchantId}: abandon the move first`)
    if (!arriving.isVerified)
      throw new MoveRefused(`the copy of ${merchantId} is not verified: verify it first`)
    await collectNumbersAgain(to, merchantId)
    if (leaving.state === 'frozen') {
      // The rail goes on to report other merchants' charges during the copy.
      requireNone(await findProofFaults(moving, merchantId))
      await changeState(from, merchantId, leaving, 'left', operator)
    }
    await changeState(to, merchantId, arriving, 'here', operator)
    report(`writes were refused for ${(leaving.lastsMs / 1_000).toFixed(1)} s`)
  }
  report(`${merchantId} is here in ${to.name}, and has left ${from.name}`)
  await recallJobs(to, merchantId)
  await route()
  await removeJobs(from, merchantId)
  await settleIn(moving)
}

/** The last steps in the new cell, which may wait long for locks. They can be done again. */
async function settleIn({ to, merchantId, report }: Moving): Promise<void> {
  await addToTotals(to, merchantId)
  await lowerFence(to, report)
}

/** The worker collects payers' numbers in the order of the charges' ids, and the merchant brings older charges. */
async function collectNumbersAgain({ client }: Cell, merchantId: string): Promise<void> {
  await client.query(
    `update payer_number_walk w set position = (left(first.id::text, 13) || '-0000-0000-000000000000')::uuid
    from (select id from charges where merchant_id = $1 order by id limit 1) first where w.position > first.id`,
    [merchantId],
  )
}

/** The jobs live in the new cell. Here they would count as overdue. */
export async function removeJobs({ client }: Cell, merchantId: string): Promise<void> {
  for (const table of jobTables) {
    let removed: number
    do {
      const { rowCount } = await client.query(
        `delete from ${table} where ctid = any (array(select ctid from ${table} where merchant_id = $1 limit ${REMOVAL_MAX}))`,
        [merchantId],
      )
      removed = rowCount ?? 0
    } while (removed === REMOVAL_MAX)
  }
}

/**
 * Opens the merchant where it was, and removes the copy. Possible until the new cell has opened it, and can be run again
 * until it succeeds.
 */
export async function abandon(moving: Moving): Promise<void> {
  const { from, to, merchantId, operator, report } = moving
  const [leaving, arriving] = [await findMove(from, merchantId), await findMove(to, merchantId)]
  if (arriving !== null && arriving.state !== 'arriving')
    throw new MoveRefused(
      `${merchantId} is ${arriving.state} in ${to.name}: name the cells the other way round`,
    )
  if (leaving?.state === 'arriving')
    throw new MoveRefused(`${merchantId} is arriving in ${from.name}: name the cells the other way round`)
  if (leaving?.state === 'left' && arriving === null)
    throw new MoveRefused(`${merchantId} lives in ${to.name}: move it back instead`)
  if (leaving === null && arriving === null) await requireReturned(from, merchantId, to.name)
  await openAgain(moving, leaving)
  if (arriving !== null) {
    await takeFromTotals(to, merchantId)
    await removeRows(to, merchantId, report)
    await changeState(to, merchantId, arriving, 'gone', operator)
  }
  await lowerFence(to, report)
}

/**
 * Opens the merchant where it was, while the new cell is away. The new cell opens only a merchant that has left, so this is
 * safe. Its copy stays until `abandon` runs again.
 */
export async function reopen(moving: Omit<Moving, 'to'>, otherCell: string): Promise<void> {
  const { from, merchantId } = moving
  const leaving = await findMove(from, merchantId)
  if (leaving === null) await requireReturned(from, merchantId, otherCell)
  else await requireMove(from, merchantId, ['draining', 'frozen'])
  await openAgain(moving, leaving)
}

/** An abandoned move whose jobs and fence are left over, because it was interrupted once the merchant was open. */
async function requireReturned(from: Cell, merchantId: string, otherCell: string): Promise<void> {
  if (!(await hasReturned(from, merchantId, otherCell))) throw new MoveRefused(`${merchantId} is not moving`)
}

/** First the merchant sells. What follows may wait for locks. */
async function openAgain(
  { from, merchantId, operator, report }: Omit<Moving, 'to'>,
  leaving: Move | null,
): Promise<void> {
  if (leaving !== null) await changeState(from, merchantId, leaving, 'here', operator)
  await recallJobs(from, merchantId)
  report(`${merchantId} is here in ${from.name}`)
  await lowerFence(from, report)
}

/** Removes what is left of a merchant in the cell that it has left, after the last steps of a switch that was interrupted. */
export async function forget(moving: Moving, afterMs: number): Promise<void> {
  const { from, to, merchantId, operator, report } = moving
  const leaving = await requireMove(from, merchantId, ['left'])
  requireNone(await findSchemaFaults(from))
  if (!(await hasArrived(to, merchantId, leaving.moveId)))
    throw new MoveRefused(`${to.name} has not opened ${merchantId}: run switch again`)
  if (leaving.ageMs < afterMs)
    throw new MoveRefused(
      `${merchantId} left ${from.name} ${Math.round(leaving.ageMs / 60_000)} minutes ago: stragglers may still come`,
    )
  requireNone(await findPartedProofs(from, merchantId, to))
  // The jobs of a merchant that is moving on are put off for its next cell.
  if ((await findMove(to, merchantId)) === null) {
    await recallJobs(to, merchantId)
    await settleIn(moving)
  }
  await takeFromTotals(from, merchantId)
  await removeRows(from, merchantId, report)
  // No erasure of the new cell reaches the hashes of numbers in this audit log.
  await from.client.query(
    'delete from audit_number_keys where merchant_id = $1 and customer_id is not null',
    [merchantId],
  )
  await changeState(from, merchantId, leaving, 'gone', operator)
  await lowerFence(from, report)
}

async function removeRows(cell: Cell, merchantId: string, report: (line: string) => void): Promise<void> {
  const shapes = await readShapes(cell, movedTables)
  // Intents and invoices name customers, which go after them.
  for (const unit of units.toReversed()) await removeReported(cell, shapes, unit, merchantId, report)
}

async function removeReported(
  cell: Cell,
  shapes: Awaited<ReturnType<typeof readShapes>>,
  unit: Unit,
  merchantId: string,
  report: (line: string) => void,
): Promise<void> {
  const rows = await removeUnit(cell, shapes, unit, merchantId)
  if (rows > 0) report(`${cell.name}: removed ${rows} rows with ${unit.table}`)
}
