import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CheckoutSessionId, PaymentIntentId } from './ids.ts'

/** decisions: a secret is 256 random bits of its own, never derived from an id. */
const SECRET_BYTES = 32

/** Clients of the compatible API split it on `_secret_`. */
export const mintClientSecret = (id: PaymentIntentId | CheckoutSessionId): string =>
  `${id}_secret_${randomBytes(SECRET_BYTES).toString('base64url')}`

/** Of nobody's object: what a browser alone keeps. */
export const mintSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

/** Another secret for each purpose: who is shown one of them knows nothing of the rest. */
export const deriveSecret = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(purpose).digest('base64url')

/** What is kept of a secret that is only ever compared. */
export const hashSecret = (secret: string): Buffer => digest(secret)

/** In the same time whatever was given: hashes are of one length. */
export const isSameSecret = (given: string, kept: string): boolean =>
  timingSafeEqual(digest(given), digest(kept))

const digest = (text: string) => createHash('sha256').update(text).digest()
