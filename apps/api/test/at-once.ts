import type { Replica, TestAnswer, TestCall } from './harness.ts'

/** Starts calls at the same moment, so that each finds the service in the same state. */
export const atOnce = (api: Replica, count: number, callOf: (n: number) => TestCall): Promise<TestAnswer[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => api.call(callOf(n))))

export const split = (answers: readonly TestAnswer[], status: number) => ({
  matching: answers.filter((answer) => answer.status === status),
  others: answers.filter((answer) => answer.status !== status),
})
