import type { Replica, TestAnswer, TestCall } from './harness.ts'

/** Calls of one moment: each finds the service where the others have it. */
export const atOnce = (api: Replica, count: number, callOf: (n: number) => TestCall): Promise<TestAnswer[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => api.call(callOf(n))))

export const split = (answers: readonly TestAnswer[], status: number) => ({
  matching: answers.filter((answer) => answer.status === status),
  others: answers.filter((answer) => answer.status !== status),
})
