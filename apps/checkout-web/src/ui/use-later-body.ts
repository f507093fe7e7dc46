import { useEffect, useSyncExternalStore } from 'react'
import type { Screen } from '@merchant-payments/payer-client/form/screen'
import { later } from '../load-later.ts'
import type { LaterBody } from './later-body.tsx'

/** Loads the later screens once the first one is shown. Each new screen tries again, if the network has failed. */
export function useLaterBody(name: Screen['name']): typeof LaterBody | null {
  useEffect(later.keepTrying, [name])
  return useSyncExternalStore(later.subscribe, later.found)?.LaterBody ?? null
}
