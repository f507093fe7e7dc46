import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CheckoutSessionId, PaymentIntentId } from './ids.ts'

/** decisions: a secret is 256 random bits of its own, never derived from an id. */
const SECRET_BYTES = 32

/** Clients of the compatible API split it on `_secret_`. */
export const mintClientSecret = (id: PaymentIntentId | CheckoutSessionId): string =>
  `${id}_secret_${randomBytes(SECRET_BYTES).toString('base64url')}`

/** In the same time whatever was given: hashes are of one length. */
export const isSameSecret = (given: string, kept: string): boolean =>
  timingSafeEqual(digest(given), digest(kept))

const digest = (text: string) => createHash('sha256').update(text).digest()
