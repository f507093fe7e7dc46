import { expect } from 'vitest'
import type { Replica, TestAnswer, TestCall } from '../harness.ts'
import { strangeIds } from './strange-ids.ts'

/**
 * Expects the same answer, byte for byte, for a foreign, an unknown and an ill-formed id (spec 4.4.5), and returns
 * it.
 */
export async function answerToStrangers(
  api: Replica,
  id: string,
  callOf: (id: string) => TestCall,
): Promise<TestAnswer> {
  const foreign = await api.call({ ...callOf(id), merchant: 'globex' })
  expect(foreign.text).not.toContain(id)
  for (const strange of strangeIds(id)) {
    const { status, text } = await api.call(callOf(strange))
    expect([strange, status, text]).toEqual([strange, foreign.status, foreign.text])
  }
  return foreign
}
