import { listSavedViews, removeView, saveView } from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const savedViews = (deps: HandlerDeps) =>
  handlers({
    listSavedViews: ({ by }) => listSavedViews(deps, by),
    saveView: ({ request, body: { list, name, search, shared } }) =>
      saveView(deps, request, { list, name, search, shared: shared === 'yes' }),
    removeView: ({ request, params }) => removeView(deps, request, params.id),
  })
