import { acknowledgeItem, listAttentionItems, parseStaffPage, resolveItem } from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const attention = (deps: HandlerDeps) =>
  handlers({
    listAttentionItems: ({ query }) =>
      listAttentionItems(deps, parseStaffPage(query), {
        status: query.status ?? null,
        alert: query.alert ?? null,
        assignee: query.assignee ?? null,
      }),
    acknowledgeAttentionItem: ({ request, params, body }) =>
      acknowledgeItem(deps, request, params.id, body.seen_assignee ?? null),
    resolveAttentionItem: ({ request, params, body }) =>
      resolveItem(deps, request, params.id, body.seen_version),
  })
