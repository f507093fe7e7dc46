import type { Envelope, EventObjects } from './wire.ts'

/** The types of the events that this version knows. */
export type EventType = keyof EventObjects

/** An event of one known type. */
export type EventOf<T extends EventType> = Envelope<T, EventObjects[T]>

// Matches none of the fifteen, so that comparing `type` excludes this member. A plain `string` would not be
// excluded.
type UnknownEventType = `(unknown to this version) ${string}`

/** An event of a type that is newer than this package. Treat its `type` as an opaque string. */
export type UnknownEvent = Envelope<UnknownEventType, Record<string, unknown>>

/**
 * A verified event. Comparing `type` narrows `data.object`. The default branch may get an event of a type
 * that this version does not know.
 *
 * @example
 * if (event.type === 'payment_intent.succeeded') fulfil(event.data.object.id, event.data.object.amount)
 */
export type Event = { [T in EventType]: EventOf<T> }[EventType] | UnknownEvent
