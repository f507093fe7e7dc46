/**
 * Node's options for the api and the worker (docs/operations.md, "Sizes"). V8 marks the old space as soon as less
 * room is left below its limit than the new space has. The default new space grows to 64 MB. That is more than the
 * room that any collection leaves, so V8 would mark without a break. The old space has four times what live objects
 * need at rest, and both servers stay near 256 MB. V8 ends a process whose live objects exceed it. Node gives V8 four
 * threads of background work. On two cores, concurrent marking took both cores from the event loop for up to 20 ms,
 * so V8 gets one thread.
 */
export const serverFlags = [
  '--max-semi-space-size=16',
  '--max-old-space-size=192',
  '--v8-pool-size=1',
] as const
