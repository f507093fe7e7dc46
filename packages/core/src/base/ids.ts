import { randomBytes } from 'node:crypto'
import { idPattern, type Refusal } from '@merchant-payments/contract'
import type { Brand } from './brand.ts'
import { secondsOf, type UnixSeconds } from './clock.ts'

export type MerchantId = Brand<string, 'MerchantId'>

const brands = {
  pi: 'PaymentIntentId',
  cus: 'CustomerId',
  re: 'RefundId',
  evt: 'EventId',
  in: 'InvoiceId',
  cs: 'CheckoutSessionId',
  ii: 'InvoiceItemId',
  ch: 'ChargeId',
  wd: 'DeliveryId',
  au: 'AuditEntryId',
  rt: 'ChargeReturnId',
  apr: 'ApprovalRequestId',
  att: 'AttentionItemId',
  st: 'StatementId',
  blk: 'BulkJobId',
  vw: 'StaffViewId',
} as const

export type Prefix = keyof typeof brands

/** An identifier on the wire: `<prefix>_<32 hex digits>` of a UUIDv7. Never a secret. */
export type Id<P extends Prefix> = Brand<string, (typeof brands)[P]>

export type PaymentIntentId = Id<'pi'>
export type CustomerId = Id<'cus'>
export type RefundId = Id<'re'>
export type EventId = Id<'evt'>
export type InvoiceId = Id<'in'>
export type CheckoutSessionId = Id<'cs'>
export type InvoiceItemId = Id<'ii'>
export type ChargeId = Id<'ch'>
export type DeliveryId = Id<'wd'>
export type AuditEntryId = Id<'au'>
export type ChargeReturnId = Id<'rt'>
export type ApprovalRequestId = Id<'apr'>
export type AttentionItemId = Id<'att'>
export type StatementId = Id<'st'>
export type BulkJobId = Id<'blk'>
export type StaffViewId = Id<'vw'>

/** Mints an id. Ids sort in the order of minting, also within one millisecond of one process. */
export const mintId = <P extends Prefix>(prefix: P, nowMs: number): Id<P> =>
  `${prefix}_${uuidV7Hex(nowMs)}` as Id<P>

export function parseId<P extends Prefix>(prefix: P, text: string): Id<P> | null {
  return patterns.get(prefix)?.test(text) === true ? (text as Id<P>) : null
}

/** @throws Refusal `missing` for an ill-formed id: the same as for an unknown one (spec 7.2) */
export function idIn<P extends Prefix>(prefix: P, text: string, missing: () => Refusal): Id<P> {
  const id = parseId(prefix, text)
  if (id === null) throw missing()
  return id
}

export const idOf = <P extends Prefix>(prefix: P, uuid: string): Id<P> =>
  `${prefix}_${uuid.replaceAll('-', '')}` as Id<P>

export const idOrNull = <P extends Prefix>(prefix: P, uuid: string | null): Id<P> | null =>
  uuid === null ? null : idOf(prefix, uuid)

export const uuidOf = (id: Id<Prefix>): string => id.slice(id.lastIndexOf('_') + 1)

export const uuidOrNull = (id: Id<Prefix> | null): string | null => (id === null ? null : uuidOf(id))

export const createdOf = (id: Id<Prefix>): UnixSeconds => secondsOf(mintedAtMs(id))

export const mintedAtMs = (id: Id<Prefix>): number => msOfUuid(uuidOf(id))

export const msOfUuid = (uuid: string): number => Number.parseInt(uuid.slice(0, 12), 16)

/** The smallest uuid of an instant: ids minted from then on are not below it. */
export const uuidFloorOf = (atMs: number): string => atMs.toString(16).padStart(12, '0').padEnd(32, '0')

const patterns = new Map(Object.keys(brands).map((prefix) => [prefix, idPattern(prefix)]))

// RFC 9562 6.2, method 1: the twelve bits after the version count up within a millisecond. The count starts in its
// lower half, and an overflow borrows the next millisecond, so ids stay in order.
const SEQUENCE_BITS_MAX = 0xfff
const RANDOM_POOL_BYTES = 4096
let lastMs = 0
let sequence = 0
let pool = Buffer.alloc(0)
let poolAt = 0

function uuidV7Hex(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = randomByte() << 3
  } else if (lastMs - nowMs > CLOCK_STEP_BACK_MS) {
    // The clock was set back, or a test moved it: the order starts again from there.
    lastMs = nowMs
    sequence = randomByte() << 3
  } else if (++sequence > SEQUENCE_BITS_MAX) {
    lastMs += 1
    sequence = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const random = takeRandom(8)
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  return `${time}7${sequence.toString(16).padStart(3, '0')}${random.toString('hex')}`
}

/** How far in ms the ids of one process may run ahead of the clock before they follow it back. */
const CLOCK_STEP_BACK_MS = 1_000

const randomByte = (): number => takeRandom(1)[0] ?? 0

function takeRandom(bytes: number): Buffer {
  if (poolAt + bytes > pool.length) {
    pool = randomBytes(RANDOM_POOL_BYTES)
    poolAt = 0
  }
  poolAt += bytes
  return pool.subarray(poolAt - bytes, poolAt)
}
