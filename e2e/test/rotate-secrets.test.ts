import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startPostgres } from '@merchant-payments/postgres'
import { completePorts, type Environment, type Stack, startStack } from '@merchant-payments/stack'
import { runStatement } from '@merchant-payments/testing/client'
import { findViolations, type JournalEntry } from '@merchant-payments/testing/invariants'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { expect, onTestFinished, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { type Merchant, openMerchant } from './merchant.ts'

// docs/operations.md, "Rotate a secret". apps/api/test/roll-out.test.ts rotates the signing key, and
// apps/api/test/dash/client-key.test.ts has the key of the staff's client.

const PAYER = '237670000001'
const BUYERS = 2
/** Its payer pays on the page without being asked (tools/mock-rails/README.md). */
const PAID_ON_PAGE = 7_491
const OLD_LOGIN = 'merchant_payments_dev'
const NEW_LOGIN = 'payments_service_2'

const newSecret = () => randomBytes(32).toString('base64url')

type Edit = (config: string) => string

const replacing =
  (pattern: RegExp, by: string): Edit =>
  (config) => {
    if (!pattern.test(config)) throw new Error(`the configuration has no ${pattern.source}`)
    return config.replace(pattern, by)
  }

/** The secret of this name gets a second one beside it. */
const beside = (name: string): Edit =>
  replacing(new RegExp(`^( *)- env: ${name}$`, 'm'), `$1- env: ${name}\n$1- env: ${name}_2`)

const without = (name: string): Edit => replacing(new RegExp(`^ *- env: ${name}\\n`, 'm'), '')

const clientSecretKeys = (...versions: readonly (1 | 2)[]): Edit => {
  const names = { 1: 'CLIENT_SECRET_KEY', 2: 'CLIENT_SECRET_KEY_2' }
  const keys = versions.map((version) => ({ version, key: { env: names[version] } }))
  return replacing(/^client_secret_keys:.*\n(?: .*\n)*/m, `client_secret_keys: ${JSON.stringify(keys)}\n`)
}

/**
 * Restarts the workers and then the apis, one after the other.
 *
 * @returns the environment with all changes so far
 */
function openRollOut({ configFile, workers, apis }: Stack) {
  let env: Environment = {}
  const files = [configFile, join(dirname(configFile), 'merchant-payments-2.yaml')]
  return async (changes: Environment, ...edits: readonly Edit[]): Promise<Environment> => {
    env = { ...env, ...changes }
    for (const file of files) {
      const text = await readFile(file, 'utf8')
      await writeFile(
        file,
        edits.reduce((config, edit) => edit(config), text),
      )
    }
    for (const child of [...workers, ...apis]) await child.restart(env)
    return env
  }
}

async function trade(merchant: Merchant, isOpen: () => boolean): Promise<number> {
  let payments = 0
  for (; isOpen(); payments += 1) {
    const paid = await merchant.pay(1_000, PAYER)
    expect(await merchant.refund(paid, 100, PAYER)).toBeDefined()
  }
  return payments
}

/** A server of its own, because roles belong to the whole cluster. */
async function openServer(): Promise<string> {
  const folder = await testFolder()
  const { url, stop } = await startPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } })
  onTestFinished(stop)
  return url
}

test(
  'secrets are replaced by restarts of one process after the other, and no request and no webhook fails',
  async () => {
    const databaseUrl = await openServer()
    const [first, second] = [await completePorts({}), await completePorts({})]
    const webhookSecret = newSecret()
    let known: string[] = []
    const received: { readonly body: string; readonly headers: object }[] = []
    const unverified: Promise<unknown>[] = []
    const stack = await startStack({
      databaseUrl,
      ports: first,
      replicas: [second],
      mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
      onWebhook: (webhook) => {
        received.push(webhook)
        const verified = createVerifier({ secrets: known }).verify(webhook.body, webhook.headers)
        unverified.push(
          verified.then(
            () => null,
            (error: unknown) => error,
          ),
        )
      },
    })
    onTestFinished(() => stack.stop())
    known = [...(stack.webhook?.secrets ?? [])]
    const { control } = stack.mockRails
    const operators = await control.getSettings()
    const addresses = [first.api, second.api].map((port) => `http://127.0.0.1:${port}`)
    const merchant = await openMerchant(stack, addresses)
    const rollOut = openRollOut(stack)
    const early: JournalEntry[] = []

    const statusesOf = (intent: { readonly id: string; readonly client_secret?: string }) =>
      Promise.all(
        addresses.map(async (address) => {
          const headers = {
            'publishable-key': stack.publishableKey,
            'client-secret': intent.client_secret ?? '',
          }
          return (await fetch(`${address}/v1/browser/payment_intents/${intent.id}`, { headers })).status
        }),
      )
    const pageOf = async () => merchant.confirmByPage(await merchant.createIntent(PAID_ON_PAGE))
    // Each api gets a token of each product, with which it goes on while the credentials change.
    for (const address of addresses) {
      const only = await openMerchant(stack, [address])
      expect(await only.refund(await only.pay(1_000, PAYER), 100, PAYER)).toBeDefined()
      expect(await only.confirmByPage(await only.createIntent(PAID_ON_PAGE))).toMatchObject({
        status: 'processing',
      })
      early.push(...only.journal)
    }

    const link = await merchant.createIntent(1_000)
    expect(link.client_secret).toContain('_secret_1v')
    let isOpen = true
    const trading = Promise.all(Array.from({ length: BUYERS }, () => trade(merchant, () => isOpen)))

    // The operators know the first keys of MTN, and the second is new. What cannot be twofold is replaced at once.
    const [collection = '', disbursement = ''] = [
      operators.mtn.collectionSubscriptionKeys[0],
      operators.mtn.disbursementSubscriptionKeys[0],
    ]
    const added = {
      MTN_COLLECTION_KEY_2: newSecret(),
      MTN_DISBURSEMENT_KEY_2: newSecret(),
      MTN_API_KEY: newSecret(),
      ORANGE_CLIENT_SECRET: newSecret(),
      CLIENT_SECRET_KEY_2: newSecret(),
      WEBHOOK_SECRET_2: webhookSecret,
    }
    await control.updateSettings({
      mtn: {
        apiKey: added.MTN_API_KEY,
        collectionSubscriptionKeys: [collection, added.MTN_COLLECTION_KEY_2],
        disbursementSubscriptionKeys: [disbursement, added.MTN_DISBURSEMENT_KEY_2],
      },
      orange: { clientSecret: added.ORANGE_CLIENT_SECRET },
    })
    const password = newSecret()
    await runStatement(
      databaseUrl,
      `create role ${NEW_LOGIN} login password '${password}' in role merchant_payments_app`,
    )
    const serviceUrl = new URL(databaseUrl)
    Object.assign(serviceUrl, { username: NEW_LOGIN, password })
    await rollOut(
      { ...added, DATABASE_URL: serviceUrl.href },
      beside('MTN_COLLECTION_KEY'),
      beside('MTN_DISBURSEMENT_KEY'),
      beside('WEBHOOK_SECRET'),
      clientSecretKeys(1, 2),
    )
    const logins = await runStatement(
      databaseUrl,
      `select distinct usename from pg_stat_activity where datname = 'postgres'
      and application_name like 'merchant-payments-%'`,
    )
    expect(logins).toEqual([{ usename: NEW_LOGIN }])
    await runStatement(databaseUrl, `drop role ${OLD_LOGIN}`)
    expect(await pageOf()).toMatchObject({ status: 'processing' })
    expect((await merchant.createIntent(1_000)).client_secret).toContain('_secret_1v')

    // Calls with the first keys of MTN are refused now and go out with the second. The receiver has changed its secret.
    known = [webhookSecret]
    const replaced = { MTN_COLLECTION_KEY: newSecret(), MTN_DISBURSEMENT_KEY: newSecret() }
    await control.updateSettings({
      mtn: {
        collectionSubscriptionKeys: [replaced.MTN_COLLECTION_KEY, added.MTN_COLLECTION_KEY_2],
        disbursementSubscriptionKeys: [replaced.MTN_DISBURSEMENT_KEY, added.MTN_DISBURSEMENT_KEY_2],
      },
    })
    await rollOut(replaced, without('WEBHOOK_SECRET'), clientSecretKeys(2, 1))
    const newer = await merchant.createIntent(1_000)
    expect(newer.client_secret).toContain('_secret_2v')
    expect([await statusesOf(link), await statusesOf(newer)]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect(
      stack.apis.flatMap((api) => api.lines()).filter((line) => line.includes('rail_misconfigured')),
    ).toEqual([])

    // Orange has one key at a time: it refuses what confirms of this rail send until the restart.
    const ORANGE_MERCHANT_KEY = newSecret()
    await control.updateSettings({ orange: { merchantKey: ORANGE_MERCHANT_KEY } })
    expect(await pageOf()).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'rail_misconfigured' },
    })
    const env = await rollOut({ ORANGE_MERCHANT_KEY }, clientSecretKeys(2))
    expect(await pageOf()).toMatchObject({ status: 'processing' })
    expect([await statusesOf(link), await statusesOf(newer)]).toEqual([
      [404, 404],
      [200, 200],
    ])

    isOpen = false
    const payments = (await trading).reduce((sum, one) => sum + one)
    expect(payments).toBeGreaterThan(BUYERS)
    expect(merchant.journal.filter(({ status }) => status >= 500)).toEqual([])
    expect(merchant.unfinished()).toBe(0)

    await moveAhead(stack, [stack.worker], env)
    await untilDrained(databaseUrl)
    expect((await Promise.all(unverified)).filter((error) => error !== null)).toEqual([])
    const { debits, credits } = await control.getLedger({ limit: 100_000 })
    const evidence = {
      databaseUrl,
      debits,
      credits,
      journal: [...early, ...merchant.journal],
      received,
      endpoints: 1,
    }
    expect(await findViolations(evidence)).toEqual([])
  },
  DRAIN_TIMEOUT_MS,
)
