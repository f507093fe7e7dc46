import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { completePorts, type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { findViolations } from '@merchant-payments/testing/invariants'
import { fetchToken } from '@merchant-payments/testing/token'
import { expect, onTestFinished, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant, type Merchant } from './merchant.ts'

/** As many as the memory limits of both servers are measured with (docs/operations.md, "Sizes"). */
const NEW_MERCHANTS = 2_000
const NEW_CLIENT = 'new_shop_1'
const PAYER = '237670000001'
const BUYERS = 3

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwkOf = (key: typeof keys.publicKey): JsonWebKey => key.export({ format: 'jwk' })

/** Writes the new merchants into the file of each replica, as the runbook "Add a merchant" says. */
async function register({ configFile, webhook }: Stack): Promise<void> {
  const entries = Array.from({ length: NEW_MERCHANTS }, (_, n) => ({
    client_id: `new_shop_${n}`,
    name: `New shop ${n}`,
    jwks: { keys: [{ ...jwkOf(keys.publicKey), kid: `key-${n}` }] },
    scopes: ['payments:read', 'payments:write'],
    audiences: ['service:v1'],
    publishable_key: `pk_test_new_shop_${n}`,
    webhooks: [{ id: 'main', url: webhook?.url, secrets: [{ env: 'WEBHOOK_SECRET' }] }],
  }))
  const lines = entries.map((entry) => `  - ${JSON.stringify(entry)}\n`).join('')
  for (const file of [configFile, join(dirname(configFile), 'merchant-payments-2.yaml')]) {
    const text = await readFile(file, 'utf8')
    expect(text).toContain('merchant_clients:\n')
    await writeFile(file, text.replace('merchant_clients:\n', `merchant_clients:\n${lines}`))
  }
}

/** Pays one after the other. Each request goes to either api, and to the other one if that is away. */
async function trade(merchant: Merchant, isOpen: () => boolean): Promise<number> {
  let payments = 0
  for (; isOpen(); payments += 1) {
    const intent = await merchant.createIntent(1_000)
    expect(await merchant.confirm(intent, PAYER)).toBeDefined()
  }
  return payments
}

test(
  'merchants are added by a restart of one process after the other, and the payments of another merchant go on',
  async () => {
    const database = await cloneDatabase()
    onTestFinished(() => database.drop())
    const [first, second] = [await completePorts({}), await completePorts({})]
    const received: { readonly body: string }[] = []
    const stack = await startStack({
      databaseUrl: database.url,
      ports: first,
      replicas: [second],
      onWebhook: (webhook) => received.push(webhook),
      mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
    })
    onTestFinished(() => stack.stop())
    const addresses = [first.api, second.api].map((port) => `http://127.0.0.1:${port}`)
    const merchant = await openMerchant(stack, addresses)
    const privateJwk = jwkOf(keys.privateKey)
    const token = () =>
      fetchToken({
        tokenUrl: stack.tokenUrl,
        clientId: NEW_CLIENT,
        privateJwk,
      })
    await expect(token()).rejects.toThrow('invalid_client')

    let isOpen = true
    const trading = Promise.all(Array.from({ length: BUYERS }, () => trade(merchant, () => isOpen)))
    await register(stack)
    for (const child of [...stack.workers, ...stack.apis]) {
      const startedAtMs = performance.now()
      await child.restart({})
      console.log(`the ${child.name} was away for ${Math.round(performance.now() - startedAtMs)} ms`)
    }
    isOpen = false
    const payments = (await trading).reduce((sum, one) => sum + one)
    expect(payments).toBeGreaterThan(BUYERS)

    const privateKeyFile = join(dirname(stack.configFile), 'new-shop.json')
    await writeFile(privateKeyFile, JSON.stringify(privateJwk))
    const added = await openMerchant({ ...stack, clientId: NEW_CLIENT, privateKeyFile }, addresses)
    await added.pay(2_000, PAYER)

    expect(await merchant.replay()).toEqual([])
    const journal = [...merchant.journal, ...added.journal]
    expect(journal.filter(({ status }) => status === 500)).toEqual([])
    await moveAhead(stack, [stack.worker])
    await untilDrained(database.url)
    const { debits, credits } = await stack.mockRails.control.getLedger({ limit: 100_000 })
    expect(debits.length).toBeGreaterThanOrEqual(payments)
    const evidence = { databaseUrl: database.url, debits, credits, journal, received, endpoints: 1 }
    expect(await findViolations(evidence)).toEqual([])
  },
  DRAIN_TIMEOUT_MS,
)
