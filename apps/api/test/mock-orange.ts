import { DEFAULT_SETTINGS } from '@merchant-payments/mock-rails'
import { createOrangeMoney } from '@merchant-payments/rails'
import { ORANGE_RAIL, RAIL_TIMEOUT_MS, type TestApi } from './harness.ts'

/** The same service with Orange Money, on the Orange side of its mock. */
export async function withMockOrange(api: TestApi, totalTimeoutMs = RAIL_TIMEOUT_MS): Promise<TestApi> {
  const { clientId, clientSecret, merchantKey } = DEFAULT_SETTINGS.orange
  const orange = createOrangeMoney({
    code: ORANGE_RAIL,
    displayName: 'Orange Money',
    adapter: 'orange_money',
    settlementCurrency: 'XAF',
    baseUrl: api.mock.wireUrl,
    country: 'cm',
    clientId,
    clientSecret,
    merchantKey,
    lang: 'fr',
    totalTimeoutMs,
    clock: api.clock,
  })
  await api.mock.control.updateSettings({
    orange: { payerActsAfterMs: 0, decidesAfterMs: 0, notifications: 'off' },
  })
  const rails = new Map([...api.rails, [ORANGE_RAIL, orange]])
  const stop = async () => {
    await orange.close()
    await api.stop()
  }
  return { ...api, ...(await api.deploy(rails)), rails, stop }
}

export async function createAtOrange(api: TestApi, amount = 5000): Promise<string> {
  const form = `amount=${amount}&currency=XAF&payment_method_types[]=${ORANGE_RAIL}`
  const { body } = await api.call({ path: '/v1/payment_intents', form })
  return body.id
}

export const confirmAtOrange = (api: TestApi, id: string) =>
  api.call({
    path: `/v1/payment_intents/${id}/confirm`,
    form: `payment_method_data[${ORANGE_RAIL}]=&return_url=https://shop.example/back`,
  })
