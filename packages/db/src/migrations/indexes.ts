import type pg from 'pg'
import { type LockRetries, retryLocks } from './lock-retries.ts'
import { type MigrationText, statementsOf } from './statements.ts'

/**
 * A concurrent build waits for the transactions that are older than itself, such as a dump. Nobody waits for
 * it meanwhile, so it may wait long.
 */
const CONCURRENT_LOCK_TIMEOUT_MS = 600_000

type IndexChange =
  | {
      readonly kind: 'create'
      readonly unique: string
      readonly index: string
      readonly table: string
      /** What follows the table's name. */
      readonly rest: string
    }
  | { readonly kind: 'drop'; readonly index: string }

/** PostgreSQL cuts longer names without an error. */
const NAME_BYTES_MAX = 63

const CREATE = /^create (unique )?index concurrently (\w+) on (\w+)\b(.*)$/is
const DROP = /^drop index concurrently if exists (\w+)$/i

/** @throws if the file has a statement of another form */
export const readIndexChanges = (migration: MigrationText): IndexChange[] =>
  statementsOf(migration).map((statement) => {
    const [, dropped] = DROP.exec(statement) ?? []
    if (dropped !== undefined) return { kind: 'drop', index: dropped }
    const [, unique = '', index, table, rest = ''] = CREATE.exec(statement) ?? []
    if (index === undefined || table === undefined)
      throw new Error(
        `${migration.name} must have only "create [unique] index concurrently NAME on TABLE …" and "drop index concurrently if exists NAME"`,
      )
    return { kind: 'create', unique, index, table, rest }
  })

/** Can run again after any failure: a build that was interrupted leaves an invalid index, which is dropped first. */
export async function changeIndex(
  client: pg.Client,
  change: IndexChange,
  retries: LockRetries,
): Promise<void> {
  if (change.kind === 'drop') return dropIndex(client, change.index, retries)
  const { unique, index, table, rest } = change
  const partitions = await partitionsOf(client, table)
  if (partitions === null) return build(client, change, retries)
  // PostgreSQL builds no index of a partitioned table concurrently. The empty parent index stays invalid until
  // each partition's index is attached. A partition that is made meanwhile gets its index with it.
  if ((await validityOf(client, index)) === true) return
  await retryLocks(retries, index, async (timeoutMs) => {
    await client.query(`set lock_timeout = ${timeoutMs}`)
    await client.query(`create ${unique}index if not exists ${index} on only ${table} ${rest}`)
  })
  for (const partition of partitions) {
    const part = nameOfPart(partition, index)
    if (await isAttached(client, part, index)) continue
    await build(client, { kind: 'create', unique, index: part, table: partition, rest }, retries)
    await retryLocks(retries, part, async (timeoutMs) => {
      await client.query(`set lock_timeout = ${timeoutMs}`)
      await client.query(`alter index ${index} attach partition ${part}`)
    })
  }
  await requireValid(client, index)
}

function nameOfPart(partition: string, index: string): string {
  const name = `${partition}_${index}`
  if (Buffer.byteLength(name) > NAME_BYTES_MAX)
    throw new Error(`${index} needs a shorter name: ${name} is cut`)
  return name
}

async function build(
  client: pg.Client,
  { unique, index, table, rest }: Extract<IndexChange, { kind: 'create' }>,
  retries: LockRetries,
): Promise<void> {
  await retryLocks(retries, index, async () => {
    const isValid = await validityOf(client, index)
    if (isValid === true) return
    await client.query(`set lock_timeout = ${CONCURRENT_LOCK_TIMEOUT_MS}`)
    if (isValid === false) await client.query(`drop index concurrently ${index}`)
    await client.query(`create ${unique}index concurrently ${index} on ${table} ${rest}`)
  })
  await requireValid(client, index)
}

const dropIndex = (client: pg.Client, index: string, retries: LockRetries): Promise<void> =>
  retryLocks(retries, index, async () => {
    await client.query(`set lock_timeout = ${CONCURRENT_LOCK_TIMEOUT_MS}`)
    await client.query(`drop index concurrently if exists ${index}`)
  })

/** Null if there is no such index. */
async function validityOf(client: pg.Client, index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.valid ?? null
}

async function requireValid(client: pg.Client, index: string): Promise<void> {
  if ((await validityOf(client, index)) !== true)
    throw new Error(`the index ${index} is not valid: run migrate again`)
}

/** Null of a table that is not partitioned. */
async function partitionsOf(client: pg.Client, table: string): Promise<string[] | null> {
  const { rows: found } = await client.query<{ partitioned: boolean }>(
    `select relkind = 'p' as partitioned from pg_class where oid = to_regclass($1)`,
    [table],
  )
  if (found[0]?.partitioned !== true) return null
  const { rows } = await client.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = to_regclass($1) order by 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

async function isAttached(client: pg.Client, part: string, parent: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_inherits where inhrelid = to_regclass($1) and inhparent = to_regclass($2)',
    [part, parent],
  )
  return rows.length > 0
}
