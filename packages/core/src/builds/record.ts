import type { Deps } from '../deps.ts'
import { type App, insertBuild } from './store.ts'

const BUILD_MAX = 100

/**
 * Records when a build first ran, for the charts of staff. A process calls this once, at its start, and does not
 * wait for it: payments go on without the row.
 *
 * @param env the environment. MERCHANT_PAYMENTS_BUILD names the build; without it, nothing is recorded
 */
export async function recordBuild(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  app: App,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const build = env['MERCHANT_PAYMENTS_BUILD']?.trim().slice(0, BUILD_MAX) ?? ''
  if (build !== '') await insertBuild(db.writer, app, build, clock())
}
