import { instructionEnds, instructionStates } from '@merchant-payments/contract/words'
import { describe, expect, test } from 'vitest'
import { aboutAccepted } from '../screens/columns/refund-columns.tsx'
import { toneOf } from './status.tsx'

const isEnd = (state: string) => instructionEnds.some((end) => end === state)

describe('the instruction of a payout', () => {
  test.each(instructionStates)('has the tone of an end in the state %s only if it stays there', (state) => {
    expect(['good', 'bad'].includes(toneOf(state))).toBe(isEnd(state))
  })

  test('is said to be open to a refusal exactly if its accepted state is no end', () => {
    expect(aboutAccepted.includes('may still refuse')).toBe(!isEnd('accepted'))
  })
})
