import { type Alert, bufferAttention, type Deps, recordAttention } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/telemetry'

/** docs/spec-gaps.md, staff: how soon an alert has its row. */
const RECORD_EVERY_MS = 1_000

export interface Inbox {
  readonly alert: Alert
  /** Writes what still waits. */
  readonly stop: () => Promise<void>
}

/** Keeps the api's alerts about objects, and writes them as items of the staff's inbox. */
export function openInbox(
  next: Alert,
  { db, clock, log }: Pick<Deps, 'db' | 'clock'> & { readonly log: Log },
): Inbox {
  const buffer = bufferAttention(next)
  let writing: Promise<unknown> = Promise.resolve()
  const write = () => {
    writing = writing.then(() =>
      recordAttention({ db, clock }, buffer).catch((error: unknown) =>
        log.error({ pass: 'record-attention', err: error }, 'could not record the results of a pass'),
      ),
    )
    return writing
  }
  const timer = setInterval(() => void write(), RECORD_EVERY_MS)
  timer.unref()
  return {
    alert: buffer.alert,
    stop: async () => {
      clearInterval(timer)
      await write()
    },
  }
}
