import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@merchant-payments/ports'
import type { Bench } from '../bench.ts'
import { loopFor, perSecond } from '../load/closed-loop.ts'
import { openConnections, requestOf } from '../load/connection.ts'
import { expectStatus } from '../load/merchant.ts'
import type { Contestant } from '../rounds.ts'
import { startServer } from '../system/process.ts'

interface Emulate {
  readonly contestant: Contestant
  stop(): Promise<void>
}

interface CreateLoad {
  readonly form: string
  readonly connections: number
}

/**
 * Starts emulate, a server of the compatible API that keeps everything in memory. Null if it cannot run: this is
 * printed, the ratio to it is then missing, and all else is measured.
 */
export async function startEmulate(
  { system, closers }: Pick<Bench, 'system' | 'closers'>,
  load: CreateLoad,
): Promise<Emulate | null> {
  const port = await freePort()
  try {
    const cli = fileURLToPath(import.meta.resolve('emulate/cli'))
    const server = await startServer({
      name: 'emulate',
      command: [cli, 'start', '--service', 'stripe', '--port', String(port)],
      env: { NODE_ENV: 'production' },
      logFile: join(system.folder, 'emulate.log'),
      readyUrl: `http://127.0.0.1:${port}/v1/customers`,
    })
    closers.add(() => server.stop())
    return { contestant: createsOf(port, load), stop: () => server.stop() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(
      `emulate cannot run, so the ratio to it is missing. Install the packages to get it.\n${reason}`,
    )
    return null
  }
}

const createsOf =
  (port: number, { form, connections }: CreateLoad): Contestant =>
  async (durationMs) => {
    // Opened for each round, because emulate closes connections that are idle for five seconds.
    const opened = await openConnections([port], connections)
    // emulate accepts any bearer, and answers each of them 4 999 times an hour.
    const bearers = new Map(opened.map((connection) => [connection, `Bearer sk_test_${randomUUID()}`]))
    const load = await loopFor(opened, durationMs, async (connection) => {
      const headers = {
        Authorization: bearers.get(connection) ?? '',
        'Content-Type': 'application/x-www-form-urlencoded',
        'Idempotency-Key': randomUUID(),
      }
      expectStatus(await connection.exchange(requestOf('POST', '/v1/payment_intents', headers, form)), 200)
    })
    for (const connection of opened) connection.close()
    return perSecond(load)
  }
