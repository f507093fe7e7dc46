import { deliveryDelaysMs } from '@merchant-payments/contract'

/** Spec 8: webhook attempts. */
export const ATTEMPTS_MAX = deliveryDelaysMs.length + 1

/** Null once the ladder is spent. */
export const delayAfterMs = (attempts: number): number | null => deliveryDelaysMs[attempts - 1] ?? null
