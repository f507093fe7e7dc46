import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { viewPayment } from '../mtn/payment.ts'
import { resetRails } from '../rails.ts'
import type { Rails } from '../rails.ts'
import { settingsPatchSchema } from '../settings.ts'
import { faultSchema, OPERATIONS } from '../wire/faults.ts'
import { DECISIONS, decide, getCharge, listCharges, viewCharge } from './charges.ts'
import { MockRailsError } from './control.ts'
import type { ClockView, PromptView } from './control.ts'
import { scenarioRows } from './scenario-rows.ts'

const MAX_LIST = 500_000
const MAX_ADVANCE_MS = 30 * 24 * 60 * 60 * 1000

const limit = z.coerce.number().int().min(1).max(MAX_LIST)
const listQuery = z.strictObject({ limit: limit.default(1_000), msisdn: z.string().optional() })
const chargesQuery = listQuery.extend({ rail: z.enum(['mtn', 'orange']).optional() })
const ledgerQuery = z.strictObject({ limit: limit.default(MAX_LIST) })
const callsQuery = z.strictObject({
  limit: limit.default(1_000),
  operation: z.enum([...OPERATIONS, 'unrouted']).optional(),
})
const callbacksQuery = z.strictObject({ limit: limit.default(1_000), reference: z.string().optional() })
const referenceParams = z.object({ reference: z.string() })
const advanceBody = z.strictObject({ advanceMs: z.number().int().min(0).max(MAX_ADVANCE_MS) })

export function registerControl(app: FastifyInstance, rails: Rails): void {
  registerMoney(app, rails)
  registerTraffic(app, rails)
  registerState(app, rails)
}

function registerMoney(app: FastifyInstance, rails: Rails): void {
  app.get('/control/ledger', (request) => rails.ledger.view(ledgerQuery.parse(request.query).limit))
  app.get('/control/charges', (request) => listCharges(rails, chargesQuery.parse(request.query)))
  app.get('/control/charges/:reference', (request) =>
    viewCharge(getCharge(rails, referenceParams.parse(request.params).reference)),
  )
  for (const [name, decision] of Object.entries(DECISIONS)) {
    app.post(`/control/charges/:reference/${name}`, (request) => {
      const charge = getCharge(rails, referenceParams.parse(request.params).reference)
      decide(rails, charge, decision)
      return viewCharge(charge)
    })
  }
  app.get('/control/transfers', (request) => {
    const { limit: count, msisdn } = listQuery.parse(request.query)
    return rails.mtn.transfers
      .newest(count, (transfer) => msisdn === undefined || transfer.msisdn === msisdn)
      .map(viewPayment)
  })
  app.get('/control/transfers/:reference', (request) => {
    const { reference } = referenceParams.parse(request.params)
    const transfer = rails.mtn.transfers.find(reference.toLowerCase())
    if (transfer === undefined) throw new MockRailsError(404, 'no payment has this reference')
    return viewPayment(transfer)
  })
  app.get('/control/prompts', (request): PromptView[] => {
    const query = listQuery.parse(request.query)
    return rails.ledger.prompts(query.limit, query.msisdn).map((prompt) => ({
      ...prompt,
      state: rails.mtn.charges.find(prompt.reference)?.state ?? 'FORGOTTEN',
    }))
  })
}

function registerTraffic(app: FastifyInstance, rails: Rails): void {
  app.get('/control/calls', (request) => {
    const query = callsQuery.parse(request.query)
    const { operation } = query
    return rails.calls.newest(query.limit, (call) => operation === undefined || call.operation === operation)
  })
  app.get('/control/callbacks', (request) => {
    const query = callbacksQuery.parse(request.query)
    return rails.callbacks.newest(query.limit, query.reference)
  })
  app.get('/control/faults', () => rails.faults.pending())
  app.post('/control/faults', (request) => {
    const fault = faultSchema.parse(request.body)
    if (!rails.faults.add(fault)) throw new MockRailsError(409, 'too many faults are queued')
    return rails.faults.pending()
  })
  app.delete('/control/faults', () => {
    rails.faults.clear()
    return rails.faults.pending()
  })
}

function registerState(app: FastifyInstance, rails: Rails): void {
  const clockView = (): ClockView => ({ nowMs: rails.clock.now(), offsetMs: rails.clock.offsetMs() })
  app.get('/control/scenarios', scenarioRows)
  app.get('/control/settings', () => rails.settings.view())
  app.post('/control/settings', (request) => {
    rails.settings.patch(settingsPatchSchema.parse(request.body))
    return rails.settings.view()
  })
  app.post('/control/tokens/revoke', () => {
    rails.mtn.credentials.revokeTokens()
    rails.orange.credentials.revokeTokens()
    return {}
  })
  app.get('/control/clock', clockView)
  app.post('/control/clock/advance', (request) => {
    rails.clock.advance(advanceBody.parse(request.body).advanceMs)
    rails.schedule.clockMoved()
    return clockView()
  })
  app.post('/control/reset', () => {
    resetRails(rails)
    return {}
  })
}
