import type { Rails } from '../rails.ts'
import type { Answer } from '../wire/answer.ts'
import type { Handle } from '../wire/mount.ts'
import { authorise } from './access.ts'
import { walletError } from './answers.ts'

/** MTN's table for the account holder, by the last three digits of the number. */
export const ACCOUNT_HOLDER_SCENARIOS = [
  { suffix: '450', summary: 'Not found', answer: walletError('RESOURCE_NOT_FOUND') },
  { suffix: '451', summary: 'Not active', answer: { status: 200, body: { result: false } } },
  { suffix: '452', summary: 'NOT_ALLOWED', answer: walletError('NOT_ALLOWED') },
  {
    suffix: '453',
    summary: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
    answer: walletError('NOT_ALLOWED_TARGET_ENVIRONMENT'),
  },
  {
    suffix: '454',
    summary: 'INTERNAL_PROCESSING_ERROR',
    answer: walletError('INTERNAL_PROCESSING_ERROR'),
  },
  { suffix: '455', summary: 'SERVICE_UNAVAILABLE', answer: walletError('SERVICE_UNAVAILABLE') },
  { suffix: 'other', summary: 'Active', answer: { status: 200, body: { result: true } } },
] as const satisfies readonly { suffix: string; summary: string; answer: Answer }[]

const bySuffix = new Map<string, Answer>(ACCOUNT_HOLDER_SCENARIOS.map((row) => [row.suffix, row.answer]))
const active: Answer = { status: 200, body: { result: true } }

const basicUserInfo: Answer = {
  status: 200,
  body: {
    sub: '0',
    name: 'Sand Box',
    given_name: 'Sand',
    family_name: 'Box',
    birthdate: '1976-08-13',
    locale: 'sv_SE',
    gender: 'MALE',
    updated_at: 1_676_609_351,
  },
}

export function handleAccountHolder(rails: Rails, question: 'active' | 'basicuserinfo'): Handle {
  return (request) => {
    const user = authorise(request, rails, 'collection')
    if ('refusal' in user) return user.refusal
    const answer = bySuffix.get((request.params['msisdn'] ?? '').slice(-3)) ?? active
    return question === 'basicuserinfo' && answer.status === 200 ? basicUserInfo : answer
  }
}
