import { cloneDatabase } from '@merchant-payments/testing'
import { findViolations } from '@merchant-payments/testing/invariants'
import { addColumns } from '@merchant-payments/testing/newer-schema'
import { expect, onTestFinished, test } from 'vitest'
import { startStack } from '../src/index.ts'
import { openShop } from './shop.ts'

const APPROVES = '237670000001'
const BUYERS = 4
/** Enough that every connection of both servers has prepared its statements. */
const PAYMENTS_BEFORE = 60
const PAYMENTS_AFTER = 60
const PINO_WARN = 40

test('api and worker go on under traffic while a later release adds a column to every table', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const stack = await startStack({
    databaseUrl: database.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 0 } },
  })
  onTestFinished(() => stack.stop())
  const shop = await openShop(stack)
  const paid: string[] = []
  const closing = new AbortController()
  const more = (count: number) => {
    const until = paid.length + count
    return expect.poll(() => paid.length).toBeGreaterThan(until)
  }

  const buyers = Array.from({ length: BUYERS }, async () => {
    while (!closing.signal.aborted) {
      const { id } = await shop.create()
      await shop.confirm(id, APPROVES)
      await shop.payments.paymentIntents.retrieve(id)
      paid.push(id)
    }
  })
  // The first refused call ends the test: no buyer tries again.
  await Promise.race([Promise.all(buyers), changeUnderTraffic()])
  await Promise.all(buyers)

  async function changeUnderTraffic(): Promise<void> {
    await more(PAYMENTS_BEFORE)
    await addColumns(database.url)
    await more(PAYMENTS_AFTER)
    closing.abort()
  }

  const received = () => new Set(stack.webhook?.receiver.received().map(({ body }) => intentOf(body)))
  await expect.poll(() => paid.filter((id) => !received().has(id))).toEqual([])
  const { debits } = await stack.mockRails.control.getLedger()
  const evidence = {
    databaseUrl: database.url,
    debits,
    credits: [],
    journal: [],
    received: null,
    endpoints: 1,
  }
  expect(await findViolations(evidence)).toEqual([])
  const lines = [...stack.api.lines(), ...stack.worker.lines()]
  expect(lines.filter((line) => levelOf(line) >= PINO_WARN)).toEqual([])
})

const intentOf = (body: string) => (JSON.parse(body) as { data: { object: { id: string } } }).data.object.id

const levelOf = (line: string) =>
  line.startsWith('{') ? (JSON.parse(line) as { level: number }).level : PINO_WARN
