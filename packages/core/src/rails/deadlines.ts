import type { RailAdapter } from './port.ts'

/** The longest time between a commit and its sending. A process that stalls longer does not send at all. */
const SEND_WITHIN_MS = 5_000
/** The worker first queries what has no answer this long after its submit's deadline. */
const FIRST_QUERY_MARGIN_MS = 1_000
/** The key of a request is held for this long after its submit's deadline. */
const HOLD_MARGIN_MS = 5_000

export const sendDeadlineOf = (committedAtMs: number): number => committedAtMs + SEND_WITHIN_MS

/** After this instant, no try that is committed now can be sent or answered. */
export const submitDeadlineOf = ({ submitTimeoutMs }: RailAdapter, committedAtMs: number): number =>
  sendDeadlineOf(committedAtMs) + submitTimeoutMs

export const firstQueryAt = (submitDeadlineMs: number): number => submitDeadlineMs + FIRST_QUERY_MARGIN_MS

export const keyHeldUntil = (submitDeadlineMs: number): number => submitDeadlineMs + HOLD_MARGIN_MS
