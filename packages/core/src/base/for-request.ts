/** Runs the part of a batch that one request caused. Traces join it to that request. */
export type ForRequest = <T>(requestId: string | null, run: () => T) => T

export const untraced: ForRequest = (_requestId, run) => run()
