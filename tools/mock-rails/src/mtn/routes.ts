import type { FastifyInstance } from 'fastify'
import type { Rails } from '../rails.ts'
import { mount } from '../wire/mount.ts'
import type { WireRoute } from '../wire/mount.ts'
import { handleAccountHolder } from './account-holder.ts'
import type { Prompt } from '../ledger.ts'
import type { Payment } from './payment.ts'
import { handleCreateKey, handleCreateUser, handleGetUser, handleToken } from './provisioning.ts'
import { CHARGE_SCENARIOS, scenarioLookup, TRANSFER_SCENARIOS } from './scenarios.ts'
import { handleStatus } from './status.ts'
import { handleSubmit } from './submit.ts'
import type { Flow } from './submit.ts'

const ACCOUNT_HOLDER = '/collection/v1_0/accountholder/msisdn/:msisdn'

export function registerMtn(app: FastifyInstance, rails: Rails): void {
  for (const route of mtnRoutes(rails)) mount(app, rails, route)
}

function mtnRoutes(rails: Rails): WireRoute[] {
  const charge: Flow = {
    product: 'collection',
    party: 'payer',
    payments: rails.mtn.charges,
    scenarioOf: scenarioLookup(CHARGE_SCENARIOS),
    // An accepted submit prompts the payer, even if the merchant never gets the answer.
    onAccepted: (payment) => rails.ledger.recordPrompt(promptOf(payment, rails.settings.mtn().payeeName)),
  }
  const transfer: Flow = {
    product: 'disbursement',
    party: 'payee',
    payments: rails.mtn.transfers,
    scenarioOf: scenarioLookup(TRANSFER_SCENARIOS),
    onAccepted: () => {},
  }
  const post = (url: string, operation: WireRoute['operation'], handle: WireRoute['handle']): WireRoute => ({
    method: 'POST',
    url,
    operation,
    handle,
  })
  const get = (url: string, operation: WireRoute['operation'], handle: WireRoute['handle']): WireRoute => ({
    method: 'GET',
    url,
    operation,
    handle,
  })
  return [
    post('/v1_0/apiuser', 'provisioning', handleCreateUser(rails)),
    post('/v1_0/apiuser/:reference/apikey', 'provisioning', handleCreateKey(rails)),
    get('/v1_0/apiuser/:reference', 'provisioning', handleGetUser(rails)),
    post('/collection/token/', 'token', handleToken(rails, 'collection')),
    post('/disbursement/token/', 'token', handleToken(rails, 'disbursement')),
    post('/collection/v1_0/requesttopay', 'submit', handleSubmit(rails, charge)),
    get('/collection/v1_0/requesttopay/:reference', 'status', handleStatus(rails, charge)),
    get(`${ACCOUNT_HOLDER}/active`, 'accountholder', handleAccountHolder(rails, 'active')),
    get(`${ACCOUNT_HOLDER}/basicuserinfo`, 'accountholder', handleAccountHolder(rails, 'basicuserinfo')),
    post('/disbursement/v1_0/transfer', 'transfer', handleSubmit(rails, transfer)),
    get('/disbursement/v1_0/transfer/:reference', 'transfer_status', handleStatus(rails, transfer)),
  ]
}

function promptOf(payment: Payment, payee: string | null): Prompt {
  const { reference, msisdn, amount, currency, payerMessage, payeeNote, submittedAtMs } = payment
  const message = payerMessage ?? payeeNote ?? ''
  return { reference, msisdn, amount, currency, payee, message, shownAtMs: submittedAtMs }
}
