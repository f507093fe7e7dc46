import { type AttentionAlert, attentionAlerts } from '@merchant-payments/contract'

/** Alerts about passes, months, erasures and requests of staff, none of which is an object of the inbox. */
const plainAlerts = [
  'partition_kept',
  'partition_held',
  'archive_overdue',
  'erasure_stuck',
  'staff_approval_requested',
  'staff_approval_given',
  'staff_approval_declined',
  'staff_approval_obsolete',
  'staff_limit_reached',
  'pass_overdue',
  'row_refused',
] as const

export type PlainAlert = (typeof plainAlerts)[number]

/** Alerts for operators, by stable name. docs/operations.md says what to do for each. */
export const alertNames: readonly (AttentionAlert | PlainAlert)[] = [...attentionAlerts, ...plainAlerts]

export type AlertName = (typeof alertNames)[number]

/** Only ids, counts and codes. Never a phone number, a name, a body or a secret. */
export type AlertFacts = Readonly<Record<string, string | number | null>>

/** The facts that name an object of the inbox, the most specific one first. */
export const objectFacts = ['delivery', 'refund', 'charge_return', 'charge', 'event'] as const
export type ObjectFact = (typeof objectFacts)[number]

/** No fact of a plain alert names an object, because staff would not see it in the inbox. */
type PlainFacts = AlertFacts & Readonly<Partial<Record<ObjectFact, never>>>

declare const ofRow: unique symbol

/** The facts of an alert about an object. `raised.ts` alone makes them, together with the row that a statement writes. */
export type RowFacts = AlertFacts & { readonly [ofRow]: true }

/** Writes the log line of an alert, and counts it. No alert about an object compiles here without its row. */
export type Alert = (
  ...alert: [name: PlainAlert, facts: PlainFacts] | [name: AttentionAlert, facts: RowFacts]
) => void
