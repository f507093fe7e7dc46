/** What each program prints if all three packages work. */
export const EXPECTED = 'succeeded 200 invoice.paid succeeded'

const imports = [
  ['createMerchantPayments', '@merchant-payments/node-sdk'],
  ['createVerifier', '@merchant-payments/webhook-verifier'],
  ['createTestEvent, signPayload', '@merchant-payments/webhook-verifier/testing'],
  ['allowInsecureBaseUrl, createPayerClient', '@merchant-payments/payer-client'],
] as const

const esmOf = (used: readonly (typeof imports)[number][]): string =>
  used.map(([names, from]) => `import { ${names} } from '${from}'`).join('\n')
const esm = esmOf(imports)
const cjs = imports.map(([names, from]) => `const { ${names} } = require('${from}')`).join('\n')

const webhook = `  const payload = JSON.stringify(createTestEvent('invoice.paid'))
  const header = await signPayload({ payload, secrets: 'whsec_test' })
  const event = await createVerifier({ secrets: 'whsec_test' }).verify(payload, header)`

/** Calls the service with the SDK, verifies a webhook, and reads a payment as its payer. */
const body = `
async function useAll({ baseUrl, privateKey }) {
  const payments = createMerchantPayments({ baseUrl, clientId: 'shop', privateKey })
  const intent = await payments.paymentIntents.confirm('pi_0190b2c4e8f97d3ab6c51e2f40718293', {
    payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
  })
${webhook}
  const clientSecret = 'pi_0190b2c4e8f97d3ab6c51e2f40718293_secret_x'
  const payer = createPayerClient({ baseUrl, clientSecret, publishableKey: 'pk_a', storage: 'none', [allowInsecureBaseUrl]: true })
  const { status } = await payer.retrieve()
  return [intent.status, intent.lastResponse.status, event.type, status].join(' ')
}`

const call = (place: string): string =>
  `useAll({ baseUrl: ${place}.SMOKE_URL, privateKey: ${place}.SMOKE_KEY })`

const testFile = (head: string): string => `${head}${body}
test('all three packages work', async () => {
  expect(await ${call('process.env')}).toBe('${EXPECTED}')
})
`

/** What the worker answers if the packages for servers work. The payer client is not for workers. */
export const EDGE_EXPECTED = 'succeeded invoice.paid'

/** Reads a payment with one client for all requests, whose clock each request sets ahead, and verifies a webhook. */
const edgeWorker = `${esmOf(imports.slice(0, -1))}
let payments
let aheadMs = 0
export default {
  async fetch({ url }, { SMOKE_URL: baseUrl, SMOKE_KEY: privateKey }) {
    aheadMs = Number(new URL(url).searchParams.get('ahead_ms'))
    const clock = () => Date.now() + aheadMs
    payments ??= createMerchantPayments({ baseUrl, clientId: 'shop', privateKey, clock, timeoutMs: 20_000, maxRetries: 0 })
    const { status } = await payments.paymentIntents.retrieve('pi_0190b2c4e8f97d3ab6c51e2f40718293')
${webhook}
    return new Response([status, event.type].join(' '))
  },
}
`

const edgeConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "worker", worker = (
      modules = [(name = "worker", esModule = embed "out.mjs")],
      compatibilityDate = "2026-11-01",
      bindings = [
        (name = "SMOKE_URL", fromEnvironment = "SMOKE_URL"),
        (name = "SMOKE_KEY", fromEnvironment = "SMOKE_KEY"),
      ],
    )),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`

/** The files of the project into which the tarballs are installed. */
export const programs: Readonly<Record<string, string>> = {
  'smoke.mjs': `${esm}${body}\n${call('process.env')}.then(console.log)\n`,
  'smoke.cjs': `${cjs}${body}\n${call('process.env')}.then(console.log)\n`,
  'jest/smoke.test.js': testFile(cjs),
  'jest/package.json': '{ "type": "commonjs" }',
  'vitest/smoke.test.mjs': testFile(`import { expect, test } from 'vitest'\n${esm}`),
  'edge/worker.mjs': edgeWorker,
  'edge/config.capnp': edgeConfig,
  'next/app/layout.jsx':
    'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }\n',
  'next/app/page.jsx': 'export default function Page() { return <p>shop</p> }\n',
  'next/app/pay/route.js': `${esm}${body}\nexport const dynamic = 'force-dynamic'
export const GET = async () => new Response(await ${call('process.env')})\n`,
  'next/app/edge/route.js': `${esm}${body}\nexport const runtime = 'edge'
export const GET = async () => new Response(await ${call('process.env')})\n`,
  'next/next.config.mjs': 'export default {}\n',
  'next/package.json': '{ "type": "module" }',
}
