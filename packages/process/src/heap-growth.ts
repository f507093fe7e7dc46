import { setFlagsFromString } from 'node:v8'

/** By how much the live objects may grow before V8 marks the heap again. V8's own choice for a small heap is 30 to 60. */
const GROWTH_PERCENT = 120

/**
 * Lets the heap grow further between two collections of the old space. A flood of requests moves some ten megabytes a
 * second there, since each waits longer than two collections of the new space. With V8's own growth, such a flood
 * causes a collection every second, whose steps of up to 9 ms delay all requests. `--max-old-space-size` remains the
 * limit. NODE_OPTIONS does not take this option of V8, so a program calls this first.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
