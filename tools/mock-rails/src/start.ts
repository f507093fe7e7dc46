import { createControlClient } from './control/client.ts'
import type { MockRailsControl } from './control/control.ts'
import { buildControlServer } from './control/server.ts'
import { createRails } from './rails.ts'
import type { SettingsPatch } from './settings.ts'
import { buildWireServer } from './wire/server.ts'

export type MockRailsOptions = {
  /** 0 or absent: any free port. */
  readonly wirePort?: number
  readonly controlPort?: number
  readonly host?: '127.0.0.1'
  /** Milliseconds since the epoch. The control plane can only add to it. */
  readonly clock?: () => number
  readonly settings?: SettingsPatch
}

export type MockRails = {
  readonly wireUrl: string
  readonly controlUrl: string
  readonly control: MockRailsControl
  readonly stop: () => Promise<void>
}

/**
 * Starts a mock rail on two loopback ports: one that a rail's client speaks to, one to control it by.
 *
 * @example
 * const rails = await startMockRails({ settings: { mtn: { autoApproveAfterMs: 0 } } })
 * // … point an adapter at rails.wireUrl, then ask the ledger who paid:
 * const { debits } = await rails.control.getLedger()
 * await rails.stop()
 */
export async function startMockRails(options: MockRailsOptions = {}): Promise<MockRails> {
  const { host = '127.0.0.1', wirePort = 0, controlPort = 0, settings = {}, clock } = options
  const rails = createRails(settings, clock)
  const wire = buildWireServer(rails)
  const control = buildControlServer(rails)
  const stop = async () => {
    rails.schedule.clear()
    rails.callbacks.stop()
    await Promise.all([wire.close(), control.close()])
  }
  try {
    const wireUrl = await wire.listen({ host, port: wirePort })
    const controlUrl = await control.listen({ host, port: controlPort })
    return { wireUrl, controlUrl, control: createControlClient(controlUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
