import { createHash } from 'node:crypto'
import type { Script } from './pgbench.ts'
import type { Statement } from './statement.ts'

/** The merchant of the floor's rows, separate from the measured merchant. */
export const FLOOR_MERCHANT = 'bench_floor'

const freshKey = '\\set key random(1, 9000000000000000000)\n'

/**
 * The same work as it is commonly written: a transaction of five statements.
 *
 * @param answer the API's answer to the create
 */
export function createInFive(answer: string): Script {
  const text = `${freshKey}
begin;
insert into idempotency_keys (merchant_id, scope, key, fingerprint, held_until, expires_at)
  select :merchant, 'v1', :key, :fingerprint, now() + interval '1 minute', now() + interval '24 hours'
  where not exists (select 1 from disabled_clients where client_id = :merchant);
insert into payment_intents
  (merchant_id, id, amount, currency, status, payment_method_types, metadata, livemode)
  values (:merchant, uuidv7(), :amount, 'XAF', 'requires_payment_method', :rails, :metadata, false);
update idempotency_keys set status = 201, body = :body, held_until = null
  where merchant_id = :merchant and scope = 'v1' and key = :key;
commit;
`
  const intent = JSON.parse(answer) as Intent
  const values = {
    merchant: FLOOR_MERCHANT,
    fingerprint: `\\x${createHash('sha256').update(answer).digest('hex')}`,
    amount: String(intent.amount),
    rails: `{${intent.payment_method_types.join(',')}}`,
    metadata: JSON.stringify(intent.metadata),
    // Stored without the secret, as the API does.
    body: answer.replace(intent.client_secret, `${intent.id}_secret_1v`),
  }
  return { name: 'create-in-five', text, values }
}

interface Intent {
  readonly id: string
  readonly amount: number
  readonly payment_method_types: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly client_secret: string
}

interface Create {
  readonly name?: string
  /** The request's key. */
  readonly key: string
  /** Existing rows, of which each transaction names a random one. */
  readonly picked?: Picked | null
}

/** Created objects are records of JSON parameters, because requests that arrive together share a statement. */
export function createInOne(
  { text, parameters }: Statement,
  { name = 'create-in-one', key, picked = null }: Create,
): Script {
  const records = parameters.map(recordOf)
  const isPicked = (value: string) => picked !== null && value.startsWith(picked.prefix.replaceAll('-', ''))
  const used = records
    .flatMap((record) => (record === null ? [] : Object.entries(record)))
    .flatMap(([column, value]) =>
      column !== 'event_id' && isNewId(value) && !isPicked(value) ? [value] : [],
    )
  const ids = [...new Set(used)]
  // An id that only one row has is drawn by PostgreSQL, in order, as the API does.
  const isShared = (id: string) => used.indexOf(id) !== used.lastIndexOf(id)
  const fresh: [string, string][] = [
    [KEY_MARK, ':key::text'],
    [EVENT_MARK, 'uuidv7()::text'],
    ...ids.map((id, n): [string, string] => [
      markOf(n),
      isShared(id) ? `(${idOf(n)})::text` : 'uuidv7()::text',
    ]),
    ...(picked === null ? [] : [[PICKED_MARK, `('${picked.prefix}' || :picked::text)`] as [string, string]]),
  ]
  const marked = ([column, value]: [string, unknown]): [string, unknown] => {
    if (column === 'merchant_id') return [column, FLOOR_MERCHANT]
    if (column === 'event_id') return [column, EVENT_MARK]
    if (value === key) return [column, KEY_MARK]
    if (!isNewId(value)) return [column, value]
    return [column, isPicked(value) ? PICKED_MARK : markOf(ids.indexOf(value))]
  }
  const values: Record<string, string> = {}
  const sql = waiting(text).replaceAll(/\$(\d+)/g, (_, number: string) => {
    const at = Number(number) - 1
    const [value, record] = [parameters[at] ?? null, records[at] ?? null]
    if (value === null) return 'null'
    const parameter = `p${number}`
    if (record === null) {
      values[parameter] = value
      return `:${parameter}`
    }
    const made = JSON.stringify([Object.fromEntries(Object.entries(record).map(marked))])
    values[parameter] = made
    return fresh
      .filter(([mark]) => made.includes(mark))
      .reduce((inner, [mark, by]) => `replace(${inner}, '${mark}', ${by})`, `:${parameter}::text`)
  })
  const draws = [
    ...ids.map((id, n) => (isShared(id) ? `\\set id${n} random(1, ${ID_MAX})\n` : '')),
    ...(picked === null ? [] : [`\\set picked random(${picked.first}, ${picked.last})\n`]),
  ].join('')
  return { name, text: `${freshKey}${draws}\n${sql};\n`, values }
}

/** The one record of a parameter that is a list of records. */
function recordOf(parameter: string | null): Readonly<Record<string, unknown>> | null {
  if (parameter?.startsWith('[{') !== true) return null
  const [record] = JSON.parse(parameter) as [Record<string, unknown>]
  return record
}

const isNewId = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{12}7[0-9a-f]{19}$/.test(value)

/**
 * The service cancels a shared statement that waits for a row, or skips the row, and retries the item alone. Here
 * each transaction has one item, and all sixteen clients update the same counter, so they must wait.
 */
const waiting = (text: string): string =>
  text.replace(/'lock_timeout', '\d+ms'/, `'lock_timeout', '0'`).replaceAll(/\s+skip locked/g, '')

const KEY_MARK = '@key@'
const PICKED_MARK = '@picked@'
const EVENT_MARK = '@event@'
const markOf = (n: number) => `@id${n}@`

/** Repeats a read of the API, unchanged. */
export function again(name: string, { text, parameters }: Statement): Script {
  const values: Record<string, string> = {}
  const sql = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? null
    if (value === null) return 'null'
    values[`p${number}`] = value
    return `:p${number}`
  })
  return { name, text: `\n${sql};\n`, values }
}

interface Picked {
  readonly prefix: string
  readonly first: number
  readonly last: number
}

/** Fifteen random hex digits. A statement may use the same new id twice. */
const ID_MAX = 0x7ff_ffff_ffff_ffffn
const idOf = (n: number) => `('0190000000007000a' || lpad(to_hex(:id${n}::bigint), 15, '0'))::uuid`
