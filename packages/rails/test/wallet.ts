import { json, openOperator, html, type Respond, type Script } from './operator.ts'

type Step = 'token' | 'submit' | 'query' | 'active' | 'info' | 'lost'

export type WalletScript = Script<Step>

export const token = (name: string): Respond =>
  json(200, { access_token: name, token_type: 'access_token', expires_in: 3600 })

export const accepted: Respond = (response) => response.writeHead(202).end()

const ordinary: Record<Step, Respond> = {
  token: token('token-1'),
  submit: accepted,
  query: json(200, { status: 'PENDING' }),
  active: json(200, { result: true }),
  info: json(200, { name: 'Sand Box', birthdate: '1976-08-13', gender: 'MALE' }),
  lost: html(404),
}

export const openWallet = (script: WalletScript = {}) => openOperator({ stepOf, ordinary }, script)

function stepOf(method: string, path: string): Step {
  if (/^\/(collection|disbursement)\/token\/$/.test(path)) return 'token'
  if (/^\/(collection\/v1_0\/requesttopay|disbursement\/v1_0\/transfer)/.test(path))
    return method === 'POST' ? 'submit' : 'query'
  if (path.endsWith('/active')) return 'active'
  return path.endsWith('/basicuserinfo') ? 'info' : 'lost'
}
