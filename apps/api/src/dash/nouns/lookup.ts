import { lookUp } from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const lookup = (deps: HandlerDeps) =>
  handlers({ lookUp: ({ by, body, logged }) => logged(lookUp(deps, by, body.q)) })
