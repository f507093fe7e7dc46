/**
 * Node's options for the api and the worker (docs/operations.md, processes). V8 marks the old space as soon as less
 * room is left below its limit than the new space has. A new space that has grown to its default of 64 MB is larger
 * than the room that is left after any collection, so V8 marks without a break.
 */
export const serverFlags = ['--max-semi-space-size=16'] as const
