import { createHash } from 'node:crypto'
import { DESK } from '../system/deployment.ts'
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

/**
 * The API's own statement, with fresh values per transaction where requests differ. Creates are records of a
 * JSON parameter, because requests that arrive together share a statement. Here each statement has one
 * record.
 */
export function createInOne(
  { text, parameters }: Statement,
  key: string,
  scriptName = 'create-in-one',
): Script {
  const values: Record<string, string> = {}
  const sql = waiting(text).replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? null
    if (value === null) return 'null'
    const name = `p${number}`
    if (!value.includes(key)) {
      values[name] = value
      return `:${name}`
    }
    const [record] = JSON.parse(value) as [Record<string, unknown>]
    const marks = { key: KEY_MARK, id: ID_MARK, ...('event_id' in record && { event_id: EVENT_MARK }) }
    values[name] = JSON.stringify([{ ...record, merchant_id: FLOOR_MERCHANT, ...marks }])
    const fresh = [
      [KEY_MARK, ':key::text'],
      [ID_MARK, 'uuidv7()::text'],
      // Dated yesterday, because the worker waits an hour for a worker that knows the merchant, and no worker
      // knows the floor's.
      [EVENT_MARK, `uuidv7(interval '-1 day')::text`],
    ]
    return fresh.reduce((made, [mark, by]) => `replace(${made}, '${mark}', ${by})`, `:${name}::text`)
  })
  return { name: scriptName, text: `${freshKey}\n${sql};\n`, values }
}

/**
 * The service cancels a shared statement that waits for a row and retries its items alone. Here each
 * transaction has one item, and all sixteen clients update the same counter, so on a slow disk they must wait
 * for it.
 */
const waiting = (text: string): string => text.replace(/'lock_timeout', '\d+ms'/, `'lock_timeout', '0'`)

const KEY_MARK = '@key@'
const ID_MARK = '@id@'
const EVENT_MARK = '@event@'

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Repeats a statement of the API: a create with its own key and ids per transaction, or a read unchanged.
 *
 * @param key the request's key, or null for a read
 * @param picked existing rows, of which each transaction names a random one
 */
export function again(
  name: string,
  { text, parameters }: Statement,
  { key, picked = null }: { key: string | null; picked?: Picked | null },
): Script {
  const isPicked = (value: string) => picked !== null && value.startsWith(picked.prefix)
  const isFresh = (value: string) => key !== null && uuidV7.test(value) && !isPicked(value)
  const ids = [...new Set(parameters.flatMap((value) => (value !== null && isFresh(value) ? [value] : [])))]
  const values: Record<string, string> = {}
  const sql = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? null
    if (value === null) return 'null'
    if (value === key) return ':key'
    if (isFresh(value)) return idOf(ids.indexOf(value))
    if (picked !== null && isPicked(value)) return `('${picked.prefix}' || :picked::text)::uuid`
    values[`p${number}`] = key !== null && value === DESK ? FLOOR_MERCHANT : value
    return `:p${number}`
  })
  const drawn = [
    ...ids.map((_, n) => `\\set id${n} random(1, ${ID_MAX})\n`),
    ...(picked === null ? [] : [`\\set picked random(${picked.first}, ${picked.last})\n`]),
  ].join('')
  return { name, text: `${key === null ? '' : freshKey}${drawn}\n${sql};\n`, values }
}

interface Picked {
  readonly prefix: string
  readonly first: number
  readonly last: number
}

/** Fifteen random hex digits. A statement may use the same new id twice. */
const ID_MAX = 0x7ff_ffff_ffff_ffffn
const idOf = (n: number) => `('0190000000007000a' || lpad(to_hex(:id${n}::bigint), 15, '0'))::uuid`
