import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate, migrationsFolder, pendingOf, readMigrations, readSchemaState } from '@merchant-payments/db'
import { completePorts, ownServers, type Servers, type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { findViolations } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import type { ReleasedServers } from '@merchant-payments/testing/released-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packedReleases, unpackRelease } from '../src/releases.ts'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant, type Merchant } from './merchant.ts'

const BUYERS = 4
/** Payments that begin after each migration, before the next one. */
const PAYMENTS_BETWEEN = 4
/** Approved, and refused by the payer. */
const MSISDNS = ['237670000001', '237670000001', '237670000002']
const PAYER = '237670000001'
const PINO_ERROR = 50
/** Each replica of the stack. */
const ALL = ['api', 'api 2', 'worker', 'worker 2']

interface Line {
  readonly source: string
  readonly level: number
  readonly msg: string
  readonly route?: string | null
  readonly status?: number | null
}

describe.each(packedReleases)(
  'the servers of %s and those of this code share a database under payments:',
  (release) => {
    let folder: string
    let released: ReleasedServers
    let database: TestDatabase
    let stack: Stack
    let merchant: Merchant
    let paid: Awaited<ReturnType<Merchant['pay']>>
    let trading: Promise<unknown>
    let begun = 0
    const closing = new AbortController()
    const lines: Line[] = []
    const received: { readonly body: string }[] = []

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'merchant-payments-releases-'))
      released = await unpackRelease(release, join(folder, 'release'))
      database = await emptyDatabase()
      const [first, second] = [await completePorts({}), await completePorts({})]
      stack = await startStack({
        databaseUrl: database.url,
        servers: released,
        ports: first,
        replicas: [second],
        onWebhook: (webhook) => received.push(webhook),
        log: (source, line) => {
          if (line.startsWith('{')) lines.push({ ...(JSON.parse(line) as Omit<Line, 'source'>), source })
        },
        mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
      })
      merchant = await openMerchant(
        stack,
        [first.api, second.api].map((port) => `http://127.0.0.1:${port}`),
      )
      paid = await merchant.pay(1_000_000, PAYER)
      trading = Promise.all(Array.from({ length: BUYERS }, trade))
      trading.catch(() => undefined)
    })
    afterAll(async () => {
      closing.abort()
      await trading?.catch(() => undefined)
      await stack?.stop()
      await database?.drop()
      await rm(folder, { recursive: true, force: true })
    })

    /** Each payment and refund is answered, by whichever api its requests and their repetitions reach. */
    async function trade(): Promise<void> {
      while (!closing.signal.aborted) {
        const nth = begun++
        const intent = await merchant.createIntent(2_000)
        const confirmed = await merchant.confirm(intent, MSISDNS[nth % MSISDNS.length] ?? PAYER)
        if (confirmed === undefined) throw new Error(`${intent.id} could not be confirmed`)
        if (nth % 3 === 0 && (await merchant.refund(paid, 100, PAYER)) === undefined)
          throw new Error(`${paid.id} could not be refunded`)
      }
    }

    /** Rejects if a payment failed in the meantime. */
    const whileTrading = (work: () => Promise<void>) => Promise.race([trading, work()])

    async function untilBegun(payments: number): Promise<void> {
      const all = begun + payments
      await whileTrading(async () => {
        await expect.poll(() => begun).toBeGreaterThanOrEqual(all)
      })
    }

    /** Resolves once each process has done its work since now: apis have confirmed, workers have delivered. */
    async function untilServed(): Promise<string[]> {
      const since = lines.length
      const names = [...stack.apis, ...stack.workers].map(({ name }) => name)
      const served = () => {
        const busy = new Set(
          lines
            .slice(since)
            .filter(isService)
            .map(({ source }) => source),
        )
        return names.filter((name) => busy.has(name))
      }
      await whileTrading(async () => {
        await expect.poll(served).toEqual(names)
      })
      return served()
    }

    /** Replaces the servers of one replica after the other. */
    async function run(program: Servers, ...replicas: readonly number[]): Promise<void> {
      for (const nth of replicas) {
        const [worker, api] = [stack.workers[nth], stack.apis[nth]]
        await Promise.all([worker?.restart({}, program.worker), api?.restart({}, program.api)])
      }
    }

    test('the release runs on the result of each migration of the expand phase', async () => {
      expect(await untilServed()).toEqual(ALL)
      const applied = await applyOneByOne(database.url, join(folder, 'migrations'), () =>
        untilBegun(PAYMENTS_BETWEEN),
      )
      expect(applied).toEqual(await namesAfter(released, 'expand'))
      expect(await untilServed()).toEqual(ALL)
    })

    test('both run at once while one replica after the other is replaced', async () => {
      await run(ownServers, 1)
      expect(await untilServed()).toEqual(ALL)
    })

    test('the release runs again after a roll-back', async () => {
      await run(released, 1)
      expect(await untilServed()).toEqual(ALL)
    })

    test('this code runs alone, and the contract phase follows', async () => {
      await run(ownServers, 1, 0)
      await migrate(database.url)
      expect(await untilServed()).toEqual(ALL)
    })

    test(
      'every answer is given again, no request failed, and every payment is what the rail says',
      async () => {
        closing.abort()
        await trading
        expect(await merchant.replay()).toEqual([])
        const { journal } = merchant
        expect(journal.filter(({ status }) => status === 500)).toEqual([])
        await stack.workers[1]?.stop()
        await moveAhead(stack, [stack.worker])
        await untilDrained(database.url)
        expect(lines.filter(({ level }) => level >= PINO_ERROR)).toEqual([])
        const { control } = stack.mockRails
        const { debits, credits } = await control.getLedger({ limit: 100_000 })
        const databaseUrl = database.url
        expect(
          await findViolations({ databaseUrl, debits, credits, journal, received, endpoints: 1 }),
        ).toEqual([])
        expect(await findRailViolations(databaseUrl, await control.listCharges({ limit: 100_000 }))).toEqual(
          [],
        )
        expect(debits.length).toBeGreaterThan(PAYMENTS_BETWEEN)
        expect(credits.length).toBeGreaterThan(0)
      },
      DRAIN_TIMEOUT_MS,
    )
  },
)

const isService = ({ msg, route, status }: Line): boolean =>
  status === 200 &&
  (msg === 'webhook attempt' || (msg === 'request' && route === '/v1/payment_intents/:id/confirm'))

/** Without a schema. The roles of the cluster exist. */
async function emptyDatabase(): Promise<TestDatabase> {
  const database = await cloneDatabase()
  await runStatement(database.url, 'drop schema public cascade; create schema public')
  return database
}

const namesAfter = async (released: ReleasedServers, phase: string): Promise<string[]> => {
  const before = new Set((await readMigrations(released.migrations)).map(({ name }) => name))
  return (await readMigrations())
    .filter((migration) => migration.phase === phase && !before.has(migration.name))
    .map(({ name }) => name)
}

/** Applies the migrations of the expand phase, each in a run of its own. @returns their names */
async function applyOneByOne(url: string, folder: string, between: () => Promise<void>): Promise<string[]> {
  const pending = pendingOf(await readSchemaState(url), 'expand').map(({ name }) => name)
  const applied: string[] = []
  for (const { name } of await readMigrations()) {
    await cp(new URL(name, migrationsFolder), join(folder, name))
    if (!pending.includes(name)) continue
    applied.push(...(await migrate(url, { phase: 'expand', folder: pathToFileURL(`${folder}/`) })))
    await between()
  }
  return applied
}
