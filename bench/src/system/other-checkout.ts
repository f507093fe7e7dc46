import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Counted } from './audit.ts'
import type { Closers } from './closers.ts'
import type { System } from './system.ts'

interface OtherCheckout {
  readonly system: System
  readonly audit: (system: System, counted: Counted) => Promise<string[]>
}

/**
 * Starts the system of another checkout of this repository by that checkout's own bench, which knows its schema and its
 * configuration. Its dependencies must be installed.
 *
 * @param folder the root of the checkout
 */
export async function startOtherCheckout(folder: string, closers: Closers): Promise<OtherCheckout> {
  const load = <T>(file: string) =>
    import(pathToFileURL(join(folder, 'bench/src/system', file)).href) as Promise<T>
  const { startSystem } = await load<{ startSystem: StartAny }>('system.ts')
  const { audit } = await load<Pick<OtherCheckout, 'audit'>>('audit.ts')
  // A bench from before comparisons takes only the folder for profiles.
  const compares = existsSync(join(folder, 'bench/src/compared.ts'))
  const system = await startSystem(closers, compares ? { cpuProfiles: null, replicas: 1 } : null)
  return { system: { ...system, apiPorts: system.apiPorts ?? [system.apiPort] }, audit }
}

type StartAny = (
  closers: Closers,
  options: unknown,
) => Promise<Omit<System, 'apiPorts'> & Partial<Pick<System, 'apiPorts'>>>
