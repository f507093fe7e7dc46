import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { Refusal } from '@merchant-payments/contract'
import type { AuditRead } from '../audit/read.ts'
import { type Clock, HOUR_MS } from '../base/clock.ts'
import { type Msisdn, storedMsisdn } from '../base/phone.ts'
import { type ClientSecretKey, mintBytes } from '../base/secrets.ts'

/** docs/spec-gaps.md, staff: lasts for a working day, so that a list can be reloaded and sent to a colleague. */
export const NUMBER_HANDLE_MS = 12 * HOUR_MS

/**
 * A payer's number in addresses and in the audit log. The keys are the deployment's, so a copy of the database, of
 * a proxy's log or of a browser's history reveals no number.
 */
export interface PayerNumbers {
  /** Each call returns another handle, so that two cannot be compared. */
  readonly handleOf: (number: Msisdn) => string
  /** @throws Refusal invalid_request naming `payer`, if the handle is expired, altered, or under a removed key */
  readonly numberOf: (handle: string) => Msisdn
  /** One number, or one ending, always has the same hash while the first key stays. */
  readonly hashOf: (digits: string) => string
  readonly hashOfPerson: (text: string) => string
  /**
   * Keyed fingerprints of a request, for the audit log. From an unkeyed hash, anyone could find the number by trying
   * all numbers. The first is stored. The others match entries made under an older key or, unkeyed, by an earlier
   * release.
   */
  readonly fingerprintsOf: (bare: Buffer) => readonly [Buffer, ...Buffer[]]
}

const HANDLE_CONTEXT = 'merchant-payments number handle 1'
const HASH_CONTEXT = 'merchant-payments number hash 1'
const PERSON_CONTEXT = 'merchant-payments person hash 1'
const REQUEST_CONTEXT = 'merchant-payments staff request 1'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const EXPIRY_BYTES = 6

export function payerNumbersOf(keys: readonly ClientSecretKey[], clock: Clock): PayerNumbers {
  const [first] = keys
  if (first === undefined) throw new RangeError('no key to encrypt numbers with')
  const known = new Map(keys.map(({ version, key }) => [version, derive(key, HANDLE_CONTEXT)]))
  const own = derive(first.key, HANDLE_CONTEXT)
  const hashKey = derive(first.key, HASH_CONTEXT)
  const personKey = derive(first.key, PERSON_CONTEXT)
  const requestKey = derive(first.key, REQUEST_CONTEXT)
  const otherRequestKeys = keys.slice(1).map(({ key }) => derive(key, REQUEST_CONTEXT))
  return {
    handleOf: (number) => `num_${first.version}v${seal(own, number, clock() + NUMBER_HANDLE_MS)}`,
    numberOf(handle) {
      const [, version, sealed = ''] = HANDLE.exec(handle) ?? []
      const key = known.get(Number(version))
      const opened = key === undefined ? null : open(key, Buffer.from(sealed, 'base64url'))
      if (opened === null || opened.expiresAtMs <= clock()) throw noHandle()
      return opened.number
    },
    hashOf: (digits) => `num_hash_${first.version}v${hash(hashKey, digits)}`,
    hashOfPerson: (text) => `per_hash_${first.version}v${hash(personKey, text.toLowerCase())}`,
    fingerprintsOf: (bare) => [
      keyed(requestKey, bare),
      ...otherRequestKeys.map((key) => keyed(key, bare)),
      bare,
    ],
  }
}

export const readOfNumber = (
  { payerNumbers }: { readonly payerNumbers: PayerNumbers },
  digits: string,
): AuditRead => ({
  action: 'number.look_up',
  target: payerNumbers.hashOf(digits),
  merchantId: null,
})

export const readOfPerson = (
  { payerNumbers }: { readonly payerNumbers: PayerNumbers },
  text: string,
): AuditRead => ({
  action: 'person.look_up',
  target: payerNumbers.hashOfPerson(text),
  merchantId: null,
})

const HANDLE = /^num_(\d{1,4})v([\w-]+)$/

const derive = (key: string, context: string): KeyObject =>
  createSecretKey(createHmac('sha256', key).update(context).digest())

const hash = (key: KeyObject, text: string): string => keyed(key, text).toString('base64url')

const keyed = (key: KeyObject, data: string | Buffer): Buffer =>
  createHmac('sha256', key).update(data).digest()

function seal(key: KeyObject, number: Msisdn, expiresAtMs: number): string {
  const iv = mintBytes(IV_BYTES)
  const expiry = Buffer.alloc(EXPIRY_BYTES)
  expiry.writeUIntBE(Math.trunc(expiresAtMs), 0, EXPIRY_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
  const words = Buffer.concat([cipher.update(expiry), cipher.update(number, 'ascii'), cipher.final()])
  return Buffer.concat([iv, words, cipher.getAuthTag()]).toString('base64url')
}

function open(key: KeyObject, sealed: Buffer): { number: Msisdn; expiresAtMs: number } | null {
  if (sealed.length <= IV_BYTES + EXPIRY_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const words = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
    return {
      number: storedMsisdn(words.toString('ascii', EXPIRY_BYTES)),
      expiresAtMs: words.readUIntBE(0, EXPIRY_BYTES),
    }
  } catch {
    return null
  }
}

const noHandle = () =>
  new Refusal('invalid_request', 'has expired or is not valid. Look the number up again.', {
    param: 'payer',
  })
