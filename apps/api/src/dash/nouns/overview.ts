import { getOverview } from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const overview = (deps: HandlerDeps) => handlers({ retrieveOverview: () => getOverview(deps) })
