import { createHash, randomUUID } from 'node:crypto'
import { type Cell, inTransaction, MoveRefused } from './cell.ts'

export type MoveState = 'draining' | 'frozen' | 'left' | 'arriving'

/** The row of `merchant_moves` of a merchant in one cell. */
export interface Move {
  readonly state: MoveState
  readonly moveId: string
  readonly otherCell: string
  readonly isVerified: boolean
  readonly ageMs: number
  /** Time since the move began. */
  readonly lastsMs: number
}

/** Who moves a merchant, and why, for the audit logs. */
export interface Operator {
  readonly name: string
  readonly reason: string
}

export async function findMove({ client }: Cell, merchantId: string): Promise<Move | null> {
  const { rows } = await client.query<{
    state: MoveState
    move_id: string
    other_cell: string
    verified: boolean
    age_ms: number
    lasts_ms: number
  }>(
    `select state, move_id, other_cell, verified_at is not null as verified,
      (extract(epoch from now() - state_since) * 1000)::float8 as age_ms,
      (extract(epoch from now() - began_at) * 1000)::float8 as lasts_ms
    from merchant_moves where merchant_id = $1`,
    [merchantId],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    state: row.state,
    moveId: row.move_id,
    otherCell: row.other_cell,
    isVerified: row.verified,
    ageMs: row.age_ms,
    lastsMs: row.lasts_ms,
  }
}

/** @throws MoveRefused unless the merchant's move here is in one of the states */
export async function requireMove(
  cell: Cell,
  merchantId: string,
  states: readonly MoveState[],
): Promise<Move> {
  const move = await findMove(cell, merchantId)
  if (move !== null && states.includes(move.state)) return move
  const state = move?.state ?? 'not moving'
  throw new MoveRefused(`${merchantId} is ${state} in ${cell.name}: expected ${states.join(' or ')}`)
}

interface Entry {
  readonly merchantId: string
  readonly moveId: string
  readonly before: string
  readonly after: string
  readonly otherCell: string
}

/**
 * Writes the step into the audit log of its cell, in the transaction of the step. A step that is run again finds its entry
 * by its key.
 */
async function recordStep({ client }: Cell, entry: Entry, operator: Operator): Promise<void> {
  const { merchantId, moveId, before, after, otherCell } = entry
  const facts = { state: after, other_cell: otherCell }
  await client.query(
    `insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target, merchant_id, reason,
        before, after, request_id, idempotency_key, fingerprint)
      values ($1, $2, $3, 'operator', 'merchant_client.move', $4, $4, $5, $6, $7, $8, $9, $10)`,
    [
      await mintEntryId(client),
      `operator:${operator.name}`,
      operator.name,
      merchantId,
      operator.reason,
      JSON.stringify({ state: before }),
      JSON.stringify(facts),
      `move:${moveId}`,
      // An abandoned step can be made again.
      `move:${moveId}:${after}:${randomUUID()}`,
      createHash('sha256').update(JSON.stringify(facts)).digest(),
    ],
  )
}

/** A UUIDv7 of the database's time, as the service mints its ids. */
async function mintEntryId(client: Cell['client']): Promise<string> {
  const { rows } = await client.query<{ ms: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
  )
  const time = Number(rows[0]?.ms ?? 0)
    .toString(16)
    .padStart(12, '0')
  const [, , third = '', fourth = '', fifth = ''] = randomUUID().split('-')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${third.slice(1)}-${fourth}-${fifth}`
}

/** The last time that the merchant came to a cell or left it, as the cell's audit log has it. */
interface Passage {
  /** A UUIDv7, so that the passages of two cells have an order. */
  readonly entryId: string
  readonly moveId: string
  readonly isArrival: boolean
}

export async function findLastPassage({ client }: Cell, merchantId: string): Promise<Passage | null> {
  const { rows } = await client.query<{ id: string; request_id: string; arrived: boolean }>(
    `select id, request_id, after ->> 'state' = 'here' as arrived from audit_entries
      where target = $1 and action = 'merchant_client.move'
        and (after ->> 'state' = 'left' or (before ->> 'state' = 'arriving' and after ->> 'state' = 'here'))
      order by id desc limit 1`,
    [merchantId],
  )
  const [row] = rows
  if (row === undefined) return null
  return { entryId: row.id, moveId: row.request_id.replace('move:', ''), isArrival: row.arrived }
}

/** Whether the merchant's last step here was its return from an abandoned move to the other cell. */
export async function hasReturned({ client }: Cell, merchantId: string, otherCell: string): Promise<boolean> {
  const { rows } = await client.query<{ returned: boolean }>(
    `select before ->> 'state' <> 'arriving' and after ->> 'state' = 'here' and after ->> 'other_cell' = $2 as returned
      from audit_entries where target = $1 and action = 'merchant_client.move' order by id desc limit 1`,
    [merchantId, otherCell],
  )
  return rows[0]?.returned ?? false
}

/** Whether the move of this id has opened the merchant here. */
export async function hasArrived({ client }: Cell, merchantId: string, moveId: string): Promise<boolean> {
  const { rows } = await client.query(
    `select from audit_entries where target = $1 and action = 'merchant_client.move' and request_id = $2
      and after ->> 'state' = 'here'`,
    [merchantId, `move:${moveId}`],
  )
  return rows.length > 0
}

/** Changes the state with its audit entry. */
export async function changeState(
  cell: Cell,
  merchantId: string,
  move: Move,
  state: MoveState | 'here' | 'gone',
  operator: Operator,
): Promise<void> {
  await inTransaction(cell, async () => {
    await (state === 'here' || state === 'gone'
      ? cell.client.query('delete from merchant_moves where merchant_id = $1', [merchantId])
      : cell.client.query(
          'update merchant_moves set state = $2, state_since = now() where merchant_id = $1',
          [merchantId, state],
        ))
    const { moveId, otherCell, state: before } = move
    await recordStep(cell, { merchantId, moveId, before, after: state, otherCell }, operator)
  })
}

/** Writes the state `left`, with its audit entry, where a restore has lost it. */
export async function writeLeft(
  cell: Cell,
  merchantId: string,
  { before, moveId, otherCell }: Pick<Move, 'moveId' | 'otherCell'> & { before: MoveState | 'here' },
  operator: Operator,
): Promise<void> {
  await inTransaction(cell, async () => {
    await cell.client.query(
      `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ($1, 'left', $2, $3)
        on conflict (merchant_id) do update set state = excluded.state, move_id = excluded.move_id,
          other_cell = excluded.other_cell, state_since = now(), verified_at = null`,
      [merchantId, moveId, otherCell],
    )
    await recordStep(cell, { merchantId, moveId, before, after: 'left', otherCell }, operator)
  })
}

/** Begins the move in one cell. Keeps a row that an earlier run of the same move has left. */
export async function beginMove(
  cell: Cell,
  merchantId: string,
  { moveId, state, otherCell }: Pick<Move, 'moveId' | 'otherCell'> & { state: 'draining' | 'arriving' },
  operator: Operator,
): Promise<Move> {
  const known = await findMove(cell, merchantId)
  if (known !== null) {
    if (known.otherCell !== otherCell)
      throw new MoveRefused(`${merchantId} is ${known.state} in ${cell.name}, for ${known.otherCell}`)
    return known
  }
  await inTransaction(cell, async () => {
    await cell.client.query(
      'insert into merchant_moves (merchant_id, state, move_id, other_cell) values ($1, $2, $3, $4)',
      [merchantId, state, moveId, otherCell],
    )
    await recordStep(cell, { merchantId, moveId, before: 'here', after: state, otherCell }, operator)
  })
  return { state, moveId, otherCell, isVerified: false, ageMs: 0, lastsMs: 0 }
}
