import { deepStrictEqual } from 'node:assert/strict'
import { expect } from 'vitest'
import type { TestAnswer } from '../../send.ts'
import type { Judgement } from '../books/judge.ts'
import type { Answered, Refusal } from '../books/verdict.ts'
import type { Names } from './names.ts'

/** The whole of an answer is what the books say: status, body, headers, and whether it is a replay. */
export function compare(
  names: Names,
  { verdict, replayOf }: Judgement,
  answer: TestAnswer,
  earlier: (exchange: number) => TestAnswer | undefined,
): void {
  if ('body' in verdict) compareBody(names, verdict, answer)
  else compareRefusal(verdict, answer)
  const original = replayOf === null ? undefined : earlier(replayOf.exchange)
  if (original === undefined) deepStrictEqual(answer.headers['idempotent-replayed'], undefined)
  // Spec 3.2: an erasure takes the identifiers out of stored answers too.
  else if (replayOf?.redacted) deepStrictEqual(answer.headers['idempotent-replayed'], 'true')
  else expect(answer).toReplay(original)
}

function compareBody(names: Names, { status, body }: Answered, answer: TestAnswer): void {
  names.learn(body, answer.body)
  deepStrictEqual({ status: answer.status, body: answer.body }, { status, body: names.resolveAll(body) })
  expect(answer).toHaveRequestId()
}

function compareRefusal({ status, code, param }: Refusal, answer: TestAnswer): void {
  const { error = {} } = answer.body ?? {}
  deepStrictEqual({ status: answer.status, code: error.code, param: error.param }, { status, code, param })
  expect(answer).toBeRefusal(code, param)
}
